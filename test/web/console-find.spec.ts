import { readFile } from 'node:fs/promises'
import { admit, newPerson, openAs, row } from './support/console.ts'
import { expect, test } from './support/lectern.ts'

test('people are found, made moderators, and many are invited at once', async ({ page, lectern }) => {
  const [owner, member] = [await newPerson(lectern, 'owner'), await newPerson(lectern, 'member')]
  const { id: spaceId } = await owner.api.createSpaces({ name: 'School' })
  await admit(owner.api, spaceId, member)
  await member.api.updateMe({ displayName: 'Софья Ковалевская' })
  await openAs(page, lectern, owner, `/spaces/${spaceId}/people`)

  const search = page.getByRole('searchbox', { name: 'Search by name' })
  await search.fill('СОФ')
  await expect(page.getByRole('table', { name: 'Members' }).getByRole('row')).toHaveCount(2)
  await expect(page).toHaveURL(/\?q=/)
  // Typing goes on where it was.
  await expect(search).toBeFocused()
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Make moderator: Софья Ковалевская' }).click()
  await dialog.getByRole('button', { name: 'Make moderator' }).click()
  await expect(row(page, 'Софья').first()).toContainText('Moderator')
  expect((await owner.api.listMembers({ spaceId, q: 'софья' })).items).toMatchObject([{ role: 'role_space_moderator' }])
  await search.fill('nobody')
  await expect(page.getByText('Nothing found for “nobody”')).toBeVisible()
  await search.fill('')
  const members = page.getByRole('table', { name: 'Members' }).getByRole('row')
  await expect(members).toHaveCount(3)
  const role = page.getByRole('combobox', { name: 'Role' })
  await role.selectOption('Owner')
  await expect(members).toHaveCount(2)
  await expect(members.last()).toContainText(owner.username)
  await search.fill('соф')
  await expect(page.getByText('Nothing found for “соф”')).toBeVisible()
  await role.selectOption('Moderator')
  await expect(members).toHaveCount(2)
  await expect(page).toHaveURL(/role=role_space_moderator/)

  await page.getByRole('button', { name: 'Invite many' }).click()
  const lines = dialog.getByLabel('One person per line')
  await lines.fill('Ada\nada')
  await expect(dialog.getByText('Line 2 is the same as line 1')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Create 2 invites' })).toBeDisabled()
  const pupils = Array.from({ length: 60 }, (_, index) => `Pupil ${index + 1}`)
  await page.locator('input[type=file]').setInputFiles({
    name: 'class.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['Name', ...pupils].join('\r\n')),
  })
  await expect(dialog.getByText('60 invites', { exact: true })).toBeVisible()

  // The second part does not get through at first: what was made is not made again.
  let refused = 0
  await page.route('**/invites/batch', async route => {
    if (route.request().postData()?.includes('Pupil 60') && refused++ === 0) {
      await route.fetch()
      await route.abort()
    } else await route.continue()
  })
  await dialog.getByRole('button', { name: 'Create 60 invites' }).click()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expect(dialog.getByRole('table', { name: 'Invites created' }).getByRole('row')).toHaveCount(61)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const links = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  expect(links).toHaveLength(61)
  expect(links[60]).toContain(`"Pupil 60","${lectern.url}/invite#${spaceId}/`)
  const { items } = await owner.api.listInvites({ spaceId, limit: 200 })
  expect(items.filter(({ label }) => label?.startsWith('Pupil')).map(({ label }) => label)).toHaveLength(60)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toBeHidden()
  await expect(row(page, 'Pupil 60')).toContainText('Pending')
})

test('the first steps lead to a link, and ⌘K to any place', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  await openAs(page, lectern, person, '/spaces')
  const steps = page.getByRole('region', { name: 'Get started' })
  await expect(steps.getByRole('listitem').first()).toHaveAttribute('aria-current', 'step')
  const { id: spaceId } = await person.api.createSpaces({ name: 'Evening school' })
  await page.reload()
  await steps.getByRole('link', { name: 'Create a room' }).click()
  await expect(page).toHaveURL(`${lectern.url}/spaces/${spaceId}`)
  const { id: roomId, alias } = await person.api.createRooms({ spaceId, name: 'Алгебра' })
  await page.reload()
  await steps.getByRole('link', { name: 'Send a guest link' }).click()
  await expect(page).toHaveURL(`${lectern.url}/spaces/${spaceId}/rooms/${alias}/people`)
  await person.api.generateAccess({ spaceId, roomId, role: 'user' })
  await page.reload()
  await expect(page.getByRole('table', { name: 'Guest links' })).toBeVisible()
  await expect(steps).toBeHidden()

  await page.goto(`${lectern.url}/account`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  const search = page.getByRole('combobox', { name: 'Search' })
  await expect(search).toBeFocused()
  await search.fill('алг')
  await expect(page.getByRole('option', { name: /Алгебра/ })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${lectern.url}/spaces/${spaceId}/rooms/${alias}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Алгебра' })).toBeFocused()

  // Down the list and back, and away with Escape.
  await page.keyboard.press('ControlOrMeta+k')
  await search.fill('past')
  await expect(page.getByRole('option')).toHaveCount(1)
  await search.fill('')
  await page.keyboard.press('ArrowUp')
  await expect(page.getByRole('option').last()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Escape')
  await expect(search).toBeHidden()
})
