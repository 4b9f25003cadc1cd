import { admit, anotherPage, heading, newPerson, row, signInTo } from './support/console.ts'
import { expect, test, watchForComplaints } from './support/lectern.ts'

test('an invite is made, registers someone, who is seen and removed', async ({ page, browser, lectern }) => {
  const owner = await newPerson(lectern, 'owner')
  const { id: spaceId } = await owner.api.createSpaces({ name: 'School' })
  await signInTo(page, lectern, owner)
  await page.goto(`${lectern.url}/spaces/${spaceId}/people`)

  // Unless the operator allows it, people join with an invite.
  await expect(page.getByRole('button', { name: 'New invite' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add member' })).toBeHidden()
  await page.getByRole('button', { name: 'New invite' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Moderator' }).check()
  await dialog.getByRole('button', { name: 'Create invite' }).click()
  const link = await dialog.getByLabel('Invite link', { exact: true }).inputValue()
  expect(link).toContain(`/invite#${spaceId}/`)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(row(page, 'Moderator')).toContainText('Pending')

  const guest = await anotherPage(browser)
  const complaints = watchForComplaints(guest)
  const username = `newcomer-${process.pid}`
  await guest.goto(link)
  // Out of the address at once, and kept over a reload.
  await expect(guest).toHaveURL(`${lectern.url}/invite`)
  await guest.reload()
  await guest.getByLabel('Email').fill(`${username}@example.com`)
  await guest.getByLabel('Username').fill(username)
  await guest.getByLabel('Password', { exact: true }).fill('short')
  await guest.getByRole('button', { name: 'Create account and join' }).click()
  // The field says so before it is sent, too.
  await expect.poll(() => complaints).toEqual([expect.stringContaining('400')])
  await expect(guest.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/At least 8 characters/)
  await guest.getByLabel('Password', { exact: true }).fill('long enough')
  await guest.getByRole('button', { name: 'Create account and join' }).click()
  await expect(guest).toHaveURL(`${lectern.url}/spaces/${spaceId}`)
  await expect(guest.getByRole('button', { name: 'New room' })).toBeVisible()
  expect(complaints).toHaveLength(1)

  // By itself.
  await expect(row(page, username).first()).toContainText('Moderator')
  await expect(row(page, 'Used')).toContainText(username)
  await page.getByRole('button', { name: `Remove: ${username}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('button', { name: `Remove: ${username}` })).toBeHidden()

  await guest.reload()
  await expect(heading(guest, 'Page not found')).toBeVisible()
  await guest.context().close()
})

test('someone with an account enters with an invite, signed in or not, and once', async ({ page, lectern }) => {
  const [owner, member] = [await newPerson(lectern, 'owner'), await newPerson(lectern, 'member')]
  const { id: spaceId } = await owner.api.createSpaces({ name: 'School' })
  const { id: first } = await owner.api.createInvite({ spaceId, role: 'role_space_user' })
  const link = `${lectern.url}/invite#${spaceId}/${first}`

  await page.goto(link)
  await page.getByText('Existing account').click()
  await page.getByLabel('Email or username').fill(member.username)
  await page.getByLabel('Password', { exact: true }).fill(member.password)
  await page.getByRole('button', { name: 'Sign in and join' }).click()
  await expect(page).toHaveURL(`${lectern.url}/spaces/${spaceId}`)
  expect((await owner.api.listMembers({ spaceId })).items.map(({ userId }) => userId)).toContain(member.id)

  await page.goto(link)
  await expect(page.getByRole('alert')).toContainText('This invite has been used. Ask for a new one.')
  await expect(page.getByRole('button', { name: 'Join space' })).toBeHidden()

  // Upwards by a second one.
  const { id: second } = await owner.api.createInvite({ spaceId, role: 'role_space_moderator' })
  await page.goto(`${lectern.url}/invite#${spaceId}/${second}`)
  await page.reload()
  await page.getByRole('button', { name: 'Join space' }).click()
  await expect(page.getByRole('button', { name: 'New room' })).toBeVisible()
  // It has served, and is not kept.
  await page.goto(`${lectern.url}/invite`)
  await expect(page.getByText('This invite link is incomplete.')).toBeVisible()
})

test('an invite is revoked; a moderator invites members alone', async ({ page, lectern }) => {
  const [owner, moderator] = [await newPerson(lectern, 'owner'), await newPerson(lectern, 'moderator')]
  const { id: spaceId } = await owner.api.createSpaces({ name: 'School' })
  await admit(owner.api, spaceId, moderator, 'role_space_moderator')
  await signInTo(page, lectern, moderator)
  await page.goto(`${lectern.url}/spaces/${spaceId}/people`)

  await expect(page.getByRole('button', { name: `Remove: ${owner.username}` })).toBeHidden()
  await page.getByRole('button', { name: 'New invite' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('radio', { name: 'Moderator' })).toBeHidden()
  await dialog.getByRole('button', { name: 'Create invite' }).click()
  const link = await dialog.getByLabel('Invite link', { exact: true }).inputValue()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await expect(row(page, 'Revoked')).toBeVisible()

  await page.goto(link)
  await expect(page.getByRole('alert')).toContainText('This invite has been revoked. Ask for a new one.')
})
