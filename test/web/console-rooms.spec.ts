import { admit, anotherPage, heading, newPerson, openAs, type Person, row } from './support/console.ts'
import { expect, expectAccessible, test } from './support/lectern.ts'

const spaceOf = async (person: Person, name = 'School') => (await person.api.createSpaces({ name })).id

test('a room is made, switched, renamed and deleted', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  const spaceId = await spaceOf(person)
  await openAs(page, lectern, person, `/spaces/${spaceId}`)

  await page.getByRole('button', { name: 'New room' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create room' }).click()
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription('Required')
  await dialog.getByLabel('Name').fill('Geometry')
  await expect(dialog.getByLabel('Let viewers speak')).toBeHidden()
  await dialog.getByRole('radio', { name: 'Webinar' }).check()
  await dialog.getByLabel('Let viewers speak').check()
  await dialog.getByLabel('Chat').uncheck()
  await dialog.getByRole('button', { name: 'Create room' }).click()
  await expect(heading(page, 'Geometry')).toBeVisible()

  const room = async () => (await person.api.listRooms({ spaceId })).items[0]
  expect(await room()).toMatchObject({
    name: 'Geometry',
    type: 'webinar',
    isFloorAllowed: true,
    isChatAllowed: false,
    isScreensharingAllowed: true,
    isPublic: false,
  })
  await expect(page.getByRole('link', { name: 'Open room: Geometry' })).toHaveAttribute(
    'href',
    `/room/${(await room())?.alias}`,
  )

  await page.getByRole('link', { name: 'Permissions' }).click()
  await expect(page.getByRole('link', { name: 'Permissions' })).toBeFocused()
  await expect(page.getByRole('switch', { name: 'Public room', exact: true })).toHaveAccessibleDescription(/can join/)
  await page.getByLabel('Public room').click()
  await expect(page.getByLabel('Public room')).toBeChecked()
  await page.getByRole('radio', { name: 'Lesson' }).click()
  await expect(page.getByRole('radio', { name: 'Lesson' })).toBeChecked()
  await expect.poll(room).toMatchObject({ isPublic: true, type: 'lesson' })
  await page.reload()
  await expect(page.getByLabel('Public room')).toBeChecked()
  await expect(page.getByLabel('Chat')).not.toBeChecked()

  await page.getByRole('link', { name: 'Overview' }).click()
  // Without a call, a lock stays until it is taken away.
  const lock = page.getByRole('switch', { name: 'Lock the room' })
  await lock.click()
  await expect(lock).toHaveAccessibleDescription(/Only moderators can join/)
  await expect(page.getByText('Locked', { exact: true })).toBeVisible()
  await expect.poll(room).toMatchObject({ isLocked: true })
  await lock.click()
  await expect(page.getByText('Locked', { exact: true })).toHaveCount(0)
  await expect.poll(room).toMatchObject({ isLocked: false })
  await page.getByLabel('Name', { exact: true }).fill('Geometry, second lesson')
  await page.getByRole('button', { name: 'Rename' }).click()
  await expect(heading(page, 'Geometry, second lesson')).toBeVisible()

  await page.getByRole('button', { name: 'Delete room' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete room' }).click()
  await expect(page.getByText('Create the first room')).toBeVisible()
  expect(await room()).toBeUndefined()
})

test('a switch goes back when the service refuses it', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  const spaceId = await spaceOf(person)
  const { alias } = await person.api.createRooms({ spaceId, name: 'Room' })
  await openAs(page, lectern, person, `/spaces/${spaceId}/rooms/${alias}/permissions`)
  await expect(page.getByLabel('Chat')).toBeChecked()
  // The truth cannot be asked for either.
  await page.route('**/v1/spaces/*/rooms/*', route =>
    route.fulfill({ status: 503, json: { code: 'unavailable', detail: 'Down.' } }),
  )
  await page.getByLabel('Chat').click()
  await expect(page.getByText('The server is busy. Try again in a moment.')).toBeVisible()
  await expect(page.getByLabel('Chat')).toBeChecked()
})

test('a guest link is made, opens the room, and is revoked', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  const spaceId = await spaceOf(person)
  const { id: roomId, alias } = await person.api.createRooms({ spaceId, name: 'Room' })
  await openAs(page, lectern, person, `/spaces/${spaceId}/rooms/${alias}/people`)

  await page.getByRole('button', { name: 'New guest link' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Guest name').fill('Grace Hopper')
  await dialog.getByRole('radio', { name: 'Moderator' }).check()
  await dialog.getByRole('radio', { name: 'Once' }).check()
  await dialog.getByRole('combobox', { name: 'Valid for' }).click()
  await page.getByRole('option', { name: '1 hour' }).click()
  await dialog.getByLabel('External user ID').fill('not alphanumeric!')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await expect(dialog.getByLabel('External user ID')).toHaveAccessibleDescription(/can’t be used here/)
  await dialog.getByLabel('External user ID').fill('student42')
  await dialog.getByRole('button', { name: 'Create link' }).click()

  const link = new URL(await dialog.getByLabel('Guest link', { exact: true }).inputValue())
  expect(link.pathname).toBe(`/room/${alias}`)
  expect(link.searchParams.get('participantName')).toBe('Grace Hopper')
  await expect(dialog.getByRole('img', { name: 'QR code: Guest link' })).toBeVisible()
  const accessToken = link.searchParams.get('accessToken') ?? ''
  const inspected = await person.api.inspectAccess({ accessToken })
  expect(inspected).toMatchObject({ role: 'moderator', isPermanent: false, participantName: 'Grace Hopper' })
  const lifetime = Date.parse(inspected.expiresAt) - Date.now()
  expect(lifetime).toBeGreaterThan(59 * 60_000)
  expect(lifetime).toBeLessThanOrEqual(60 * 60_000)
  expect((await person.api.listLinks({ spaceId, roomId })).items).toMatchObject([{ externalUserId: 'student42' }])

  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(row(page, 'Grace Hopper')).toContainText('Active')
  await page.getByRole('button', { name: 'Revoke: Grace Hopper' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(row(page, 'Grace Hopper')).toContainText('Revoked')
  await expect(page.getByRole('heading', { name: 'Guest links' })).toBeFocused()
  await expect(person.api.inspectAccess({ accessToken })).rejects.toMatchObject({ code: 'link_revoked' })
})

test('who owns the space takes part in a room first, to make its guest links', async ({ page, lectern }) => {
  const [owner, moderator] = [await newPerson(lectern, 'owner'), await newPerson(lectern, 'moderator')]
  const spaceId = await spaceOf(owner)
  await admit(owner.api, spaceId, moderator, 'role_space_moderator')
  const { alias } = await moderator.api.createRooms({ spaceId, name: 'Room of another' })

  await openAs(page, lectern, owner, `/spaces/${spaceId}/rooms/${alias}/people`)
  await expect(page.getByRole('heading', { name: 'Guest links' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'New guest link' })).toBeHidden()
  await page.getByRole('button', { name: 'Make me a moderator' }).click()
  await expect(page.getByRole('button', { name: 'New guest link' })).toBeVisible()
  await expect(row(page, `${owner.username} (you)`)).toContainText('Moderator')
})

test('roles are granted to a member and by id, and revoked', async ({ page, browser, lectern }) => {
  const [owner, member, stranger] = [
    await newPerson(lectern, 'owner'),
    await newPerson(lectern, 'member'),
    await newPerson(lectern, 'stranger'),
  ]
  const spaceId = await spaceOf(owner)
  await admit(owner.api, spaceId, member)
  const { alias } = await owner.api.createRooms({ spaceId, name: 'Private lesson' })

  const members = await anotherPage(browser)
  await openAs(members, lectern, member, `/spaces/${spaceId}`)
  await expect(members.getByText('There are no rooms you can join yet.')).toBeVisible()
  await expect(members.getByRole('button', { name: 'New room' })).toBeHidden()
  await expect(members.getByRole('link', { name: 'People' })).toBeHidden()

  await openAs(page, lectern, owner, `/spaces/${spaceId}/rooms/${alias}/people`)
  const dialog = page.getByRole('dialog')
  await page.route('**/members', route => route.continue({ url: `${route.request().url()}?limit=1` }))
  await page.getByRole('button', { name: 'Grant role' }).click()
  // By keyboard: found by how the name begins, whatever the case.
  const choice = dialog.getByRole('combobox', { name: 'User' })
  // No more than one page is read, and the creator of the room is not to be chosen.
  await choice.click()
  await expect(page.getByRole('option')).toHaveText(['There are more. Type a name to find them.'])
  await expect(page.getByRole('option')).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)
  await choice.fill('nobody')
  await expect(page.getByText('No members found')).toBeVisible()
  await choice.fill(member.username.slice(0, -2).toUpperCase())
  await expect(page.getByRole('option')).toHaveText([member.username])
  await page.keyboard.press('ArrowDown')
  await expect(choice).toHaveAttribute('aria-activedescendant', /./)
  await page.keyboard.press('Enter')
  await expect(choice).toHaveValue(member.username)
  await dialog.getByRole('button', { name: 'Grant role' }).click()
  await expect(row(page, member.username)).toContainText('Participant')
  await expect(dialog).toBeHidden()
  // The button that opened it has gone with the empty list.
  await expect(page.getByRole('heading', { name: 'Roles in this room' })).toBeFocused()

  await page.getByRole('button', { name: 'Grant role' }).click()
  await dialog.getByText('By user ID').click()
  await dialog.getByRole('textbox', { name: 'User ID' }).fill('nonsense')
  await dialog.getByRole('button', { name: 'Grant role' }).click()
  await expect(dialog.getByRole('textbox', { name: 'User ID' })).toHaveAccessibleDescription(/can’t be used here/)
  await dialog.getByRole('textbox', { name: 'User ID' }).fill(stranger.id)
  await dialog.getByRole('radio', { name: 'Moderator' }).check()
  await dialog.getByRole('button', { name: 'Grant role' }).click()
  await expect(row(page, stranger.username)).toContainText('Moderator')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'Grant role' })).toBeFocused()

  await page.getByRole('combobox', { name: 'Role' }).selectOption('Participant')
  await expect(row(page, stranger.username)).toHaveCount(0)
  await expect(row(page, member.username)).toHaveCount(1)
  await page.getByRole('combobox', { name: 'Role' }).selectOption('All roles')

  // The member finds the room, with nothing in it to change.
  await members.reload()
  await members.getByRole('link', { name: 'Private lesson', exact: true }).click()
  await expect(heading(members, 'Private lesson')).toBeVisible()
  await expect(members.getByRole('link', { name: 'Open room: Private lesson' })).toBeVisible()
  await expect(members.getByRole('link', { name: 'People and links' })).toBeHidden()
  await expect(members.getByRole('button', { name: 'Delete room' })).toBeHidden()

  // What a moderator leaves behind ends with the role, and the question says how much that is.
  const at = { spaceId, roomId: alias }
  for (const username of ['Grace', 'Ada']) {
    const { url } = await stranger.api.generateAccess({ ...at, role: 'user', username, isPermanent: true })
    if (username === 'Ada')
      await stranger.api.redeemAccess({ accessToken: new URL(url).searchParams.get('accessToken') ?? '' })
  }
  await page.reload()
  await expect(row(page, 'Grace')).toContainText('Active')
  await expect(row(page, 'Grace')).toContainText(stranger.username)
  await page.getByRole('button', { name: 'Grant role' }).click()
  await dialog.getByText('By user ID').click()
  await dialog.getByRole('textbox', { name: 'User ID' }).fill(stranger.id)
  await expect(dialog.getByRole('radio', { name: 'Moderator' })).toBeChecked()
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  await dialog.getByRole('radio', { name: 'Participant' }).check()
  await expect(dialog.getByRole('alert')).toContainText('2 guest links they created will stop working.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: `Revoke: ${stranger.username}` }).click()
  await expect(dialog).toContainText('2 guest links they created will stop working.')
  await expect(dialog).toContainText('1 guest who joined with their links will lose access.')
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await expect(dialog).toBeHidden()
  await expect(row(page, 'Grace')).toContainText('Inactive')

  await page.getByRole('button', { name: `Revoke: ${member.username}` }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await expect(row(page, member.username)).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Roles in this room' })).toBeFocused()
  await members.reload()
  await expect(members.getByRole('alert')).toContainText('You need a role in this room.')
  await members.context().close()
})
