import { expect, killEngine } from './support/lectern.ts'
import { enterAsGuest } from './support/participant.ts'
import {
  control,
  copyOfTab,
  expectSeen,
  holdSoundBack,
  join,
  makeRoom,
  openPeople,
  signIn,
  test,
} from './support/room.ts'
import { shoot, shootDialog } from './support/shots.ts'

/* What comes up in a call: menus, dialogs, notices, and how it can end. */

test('what a moderator opens', async ({ lectern, person, page }) => {
  const { link, address } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  await signIn(page, lectern)
  await join(page, address)
  const grace = await person()
  await join(grace.page, await link('Grace Hopper'))
  await expectSeen(page, 'Grace Hopper')

  await control(page, 'More').click()
  await expect(page.getByRole('menuitem', { name: 'Devices' })).toBeVisible()
  await shoot(page, 'room-more')
  await page.getByRole('menuitem', { name: 'Devices' }).click()
  await shootDialog(page, 'room-devices')
  await page.keyboard.press('Escape')

  await control(page, 'More').click()
  await page.getByRole('menuitem', { name: 'Guest link' }).click()
  await shootDialog(page, 'room-invite')
  await page.getByRole('button', { name: 'For a group' }).click()
  await expect(page.getByRole('textbox', { name: 'Link' })).toBeVisible()
  await shoot(page, 'room-invite-ready')
  await page.keyboard.press('Escape')

  await control(page, 'Leave').click()
  await expect(page.getByRole('menuitem', { name: 'End for all' })).toBeVisible()
  await shoot(page, 'room-leave')
  await page.keyboard.press('Escape')

  await control(page, 'Chat').click()
  await expect(page.getByText('No messages yet.')).toBeVisible()
  await shoot(page, 'room-chat-empty')

  await openPeople(page)
  await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
  await expect(page.getByRole('menuitem', { name: 'Remove from room' })).toBeVisible()
  await shoot(page, 'room-person-menu')
  await page.getByRole('menuitem', { name: 'Mute microphone' }).click()
  await expect(grace.page.getByText('A moderator muted you.')).toBeVisible()
  await shoot(grace.page, 'room-muted')

  await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
  await page.getByRole('menuitem', { name: 'Remove from room' }).click()
  await shootDialog(page, 'room-remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(grace.page.getByRole('heading', { name: 'You were removed from the call' })).toBeVisible()
  await shoot(grace.page, 'room-removed-from-call')
})

test('a webinar on the air, and a viewer with the floor', async ({ lectern, person, page }) => {
  const { link } = await makeRoom(lectern, { type: 'webinar', isFloorAllowed: true, name: 'Open day' })
  const host = await person()
  await join(host.page, await link('Ada Lovelace', { role: 'moderator' }))
  await join(page, await link('Grace Hopper'))
  await expectSeen(page, 'Ada Lovelace')
  await shoot(page, 'room-webinar')

  await control(page, 'Hand').click()
  await openPeople(host.page)
  await expect(host.page.getByRole('button', { name: 'Invite to speak' })).toBeVisible()
  await shoot(host.page, 'room-webinar-host')
  await host.page.getByRole('button', { name: 'Invite to speak' }).click()
  await expect(page.getByText('You’re invited to speak')).toBeVisible()
  await shootDialog(page, 'room-floor')
  await page.getByRole('button', { name: 'Join with microphone and camera' }).click()
  await expectSeen(host.page, 'Grace Hopper')
  await shoot(page, 'room-floor-camera')
})

test('many people', async ({ lectern, page }) => {
  const { spaceId, roomId, link } = await makeRoom(lectern, { name: 'Assembly' })
  const names = [
    'Ada',
    'Alan',
    'Annie',
    'Emmy',
    'Grace',
    'Hedy',
    'Katherine',
    'Lise',
    'Marie',
    'Mary',
    'Rosalind',
    'Vera',
  ]
  const guests = []
  for (const name of names)
    guests.push(await enterAsGuest(lectern, { api: lectern.operator }, { spaceId, roomId }, name))
  await join(page, await link('Sofia Kovalevskaya'))
  await expect(page.getByRole('figure', { name: 'Ada' })).toBeVisible()
  await shoot(page, 'room-many')
  await page.keyboard.press('g')
  await shoot(page, 'room-many-speaker')
  for (const { room } of guests) await room.disconnect()
})

test('a connection in trouble, and sound that is held back', async ({ lectern, person, page }) => {
  const { link } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  const cuts: (() => Promise<void>)[] = []
  let isCut = false
  await page.routeWebSocket(/\/media\//, socket => {
    if (isCut) return void socket.close()
    socket.connectToServer()
    cuts.push(() => socket.close())
  })
  await join(page, await link('Grace Hopper'))
  await holdSoundBack(page)
  const ada = await person()
  await join(ada.page, await link('Ada Lovelace'))
  await expect(page.getByRole('button', { name: 'Click to turn on sound' })).toBeVisible()
  await shoot(page, 'room-sound')

  isCut = true
  for (const cut of cuts) await cut()
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible()
  await shoot(page, 'room-reconnecting')
})

test('how it can end', async ({ lectern, person, page }) => {
  const { link, spaceId, roomId } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  const own = await link('Grace Hopper')
  await join(page, own)
  const twin = await copyOfTab(page, { hasLocks: false })
  await join(twin, own)
  await expect(page.getByRole('heading', { name: 'You joined from another tab or device' })).toBeVisible()
  await shoot(page, 'room-other-tab')

  const [newest] = (await lectern.operator.listLinks({ spaceId, roomId })).items
  await lectern.operator.revokeLink({ spaceId, roomId, linkId: newest?.id ?? '' })
  await expect(twin.getByRole('heading', { name: 'Your access has ended' })).toBeVisible()
  await shoot(twin, 'room-access-ended')

  const mary = await person()
  await join(mary.page, await link('Mary Somerville'))
  await lectern.operator.deleteRoom({ spaceId, roomId })
  await expect(mary.page.getByRole('heading', { name: 'The room was deleted' })).toBeVisible()
  await shoot(mary.page, 'room-deleted')
})

test('in Russian', async ({ lectern, person }) => {
  const { link } = await makeRoom(lectern, { name: 'Алгебра, первый урок' })
  const { page } = await person({ locale: 'ru-RU' })
  await page.goto(await link('София Ковалевская', { role: 'moderator' }))
  await page.getByRole('button', { name: 'Войти' }).click()
  const other = await person()
  await join(other.page, await link('Пафнутий Чебышёв'))
  await expectSeen(page, 'Пафнутий Чебышёв')
  await page.keyboard.press('p')
  await expect(page.getByRole('complementary', { name: /^Участники/ })).toBeVisible()
  await shoot(page, 'room-russian-people')
  await page.keyboard.press('p')
  await shoot(page, 'room-russian')
})

test('an engine that is away', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  await join(page, await link('Grace Hopper'))
  await page.route('**/join', route => route.abort())
  killEngine(lectern)
  await expect(page.getByText('Connection lost. Rejoining…')).toBeVisible({ timeout: 45_000 })
  await shoot(page, 'room-rejoining')
})
