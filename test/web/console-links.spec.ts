import { createClient } from '../../client/client.ts'
import { anotherPage, newPerson, openAs, row } from './support/console.ts'
import { expect, expectAccessible, test } from './support/lectern.ts'

/* Guest links after they were made, a room in a frame, and members without an invite: what settings of the operator show. */

test.use({
  environment: {
    LECTERN_MEDIA: 'off',
    LECTERN_EMBED_ORIGINS: 'https://school.example',
    LECTERN_DIRECT_MEMBERS: 'on',
  },
})

const tokenOf = (url: string) => new URL(url).searchParams.get('accessToken') ?? ''

test('a named link is for one person, is copied again, and says who used it', async ({ page, context, lectern }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const person = await newPerson(lectern)
  const { id: spaceId } = await person.api.createSpaces({ name: 'School' })
  const { alias } = await person.api.createRooms({ spaceId, name: 'Room', isPublic: true })
  await openAs(page, lectern, person, `/spaces/${spaceId}/rooms/${alias}/people`)
  await expect(page.getByText('Open to members of this space. Guests need a guest link.')).toBeVisible()

  await page.getByRole('button', { name: 'New guest link' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('radio', { name: 'Multiple times' })).toBeChecked()
  await dialog.getByLabel('Guest name').fill('Grace Hopper')
  await expect(dialog.getByRole('radio', { name: 'Once' })).toBeChecked()
  await dialog.getByLabel('Label').fill('Guest lecture')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const url = await dialog.getByLabel('Guest link', { exact: true }).inputValue()
  await expect(dialog.getByRole('textbox', { name: 'Link to the live page' })).toHaveValue(
    url.replace(alias, `${alias}/live`),
  )
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(row(page, 'Guest lecture')).toContainText('Grace Hopper')

  await page.getByRole('button', { name: 'Copy link: Guest lecture' }).click()
  await expect(page.getByText('Link copied.')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)

  await createClient({ baseUrl: lectern.url }).redeemAccess({ accessToken: tokenOf(url) })
  await page.reload()
  await expect(row(page, 'Guest lecture')).toContainText('Used')
  await expect(page.getByRole('button', { name: 'Copy link: Guest lecture' })).toBeHidden()
  await page.getByRole('button', { name: 'Guests: Guest lecture' }).click()
  await expect(dialog.getByRole('row').filter({ hasText: 'Grace Hopper' })).toContainText('now')
  await expectAccessible(page)
})

test('the code of a frame has a link of its own, and the sites it works on are shown', async ({
  page,
  browser,
  lectern,
}) => {
  const person = await newPerson(lectern)
  const { id: spaceId } = await person.api.createSpaces({ name: 'School' })
  const { id: roomId, alias } = await person.api.createRooms({ spaceId, name: 'Room "1"' })
  await openAs(page, lectern, person, `/spaces/${spaceId}/rooms/${alias}/people`)
  await page.getByRole('button', { name: 'Embed' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('https://school.example')
  await dialog.getByRole('button', { name: 'Create code' }).click()
  const code = await dialog.getByRole('region', { name: 'Embed code' }).innerText()
  await expectAccessible(page)

  // As a browser reads it.
  const site = await anotherPage(browser)
  const frame = await site.evaluate(html => {
    const [found] = new DOMParser().parseFromString(html, 'text/html').querySelectorAll('iframe')
    return { src: found?.getAttribute('src') ?? '', title: found?.title, allow: found?.allow }
  }, code)
  await site.context().close()
  expect(frame).toMatchObject({ title: 'Room "1"', allow: expect.stringContaining('screen-wake-lock') })
  const inspected = await person.api.inspectAccess({ accessToken: tokenOf(frame.src) })
  expect(inspected).toMatchObject({ roomId, role: 'user', isPermanent: true, participantName: null })
})

test('an owner adds people with an account, by email or id', async ({ page, lectern }) => {
  const [owner, ada, grace] = [
    await newPerson(lectern),
    await newPerson(lectern, 'ada'),
    await newPerson(lectern, 'grace'),
  ]
  const { id: spaceId } = await owner.api.createSpaces({ name: 'School' })
  const { email } = await ada.api.getMe()
  await openAs(page, lectern, owner, `/spaces/${spaceId}/people`)
  const dialog = page.getByRole('dialog')
  const add = async (user: string) => {
    await page.getByRole('button', { name: 'Add member' }).click()
    await dialog.getByLabel('Email or user ID').fill(user)
  }
  await add(email)
  await dialog.getByRole('radio', { name: 'Moderator' }).check()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(row(page, ada.username)).toContainText('Moderator')
  await expect(page.getByText(`If ${email} has an account, they’re a member now.`)).toBeVisible()

  await add('nobody')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(dialog.getByLabel('Email or user ID')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Email or user ID').fill(spaceId)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Not found')
  await dialog.getByLabel('Email or user ID').fill(grace.id)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(row(page, grace.username)).toContainText('Member')

  // The owner's alone.
  await openAs(page, lectern, ada, `/spaces/${spaceId}/people`)
  await expect(row(page, grace.username)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add member' })).toBeHidden()
})
