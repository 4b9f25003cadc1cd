import { readFileSync } from 'node:fs'
import type { Room } from '@livekit/rtc-node'
import type { Page } from '@playwright/test'
import type { Client } from '../../client/client.ts'
import { admit, newPerson, openAs } from './support/console.ts'
import { makeLarge } from './support/crowd.ts'
import { expectFit, unexpected } from './support/fit.ts'
import { expect, type Installation, test, watchForComplaints } from './support/lectern.ts'
import { enter, enterAsGuest, publishMicrophone } from './support/participant.ts'

test.use({ environment: { LECTERN_CALL_GRACE: '1' } })
type Draft = Omit<Parameters<Client['createRooms']>[0], 'spaceId' | 'name'>

/** A room of a teacher of its own. */
const newRoom = async (lectern: Installation, draft: Draft = {}) => {
  const owner = await newPerson(lectern)
  const { id: spaceId } = await owner.api.createSpaces({ name: 'Evening school' })
  const { id: roomId, alias } = await owner.api.createRooms({ spaceId, name: 'Algebra', ...draft })
  const path = `/spaces/${spaceId}/rooms/${alias}`
  return { owner, spaceId, roomId, path }
}

/** As another one in the room hears it. */
const isMuted = (heardBy: Room, participantId: string) =>
  [...(heardBy.remoteParticipants.get(participantId)?.trackPublications.values() ?? [])].map(({ muted }) => muted)

const section = (page: Page) => page.getByRole('region', { name: 'Current call' })
const inCall = (page: Page, name: string) => section(page).getByRole('row').filter({ hasText: name })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const choose = async (page: Page, name: string, action: string) => {
  await button(page, `Actions for ${name}`).click()
  await page.getByRole('menuitem', { name: action }).click()
}

test('a lesson is watched, moderated and ended from the room’s page', async ({ page, lectern }) => {
  test.setTimeout(120_000)
  const complaints = watchForComplaints(page)
  const { owner, path, ...at } = await newRoom(lectern)
  await openAs(page, lectern, owner, path)
  await expect(section(page)).toContainText('No one is in the room')
  await expectFit(page)

  const teacher = await enter(owner.api, at)
  const ada = await enterAsGuest(lectern, owner, at, 'Ada')
  const bob = await enterAsGuest(lectern, owner, at, 'Bob')
  await expect(inCall(page, owner.username)).toContainText('Moderator')
  await expect(inCall(page, 'Ada')).toContainText(/Participant.*now/)
  await expect(section(page)).toContainText('3 people')
  await expectFit(page)
  await page.getByRole('link', { name: 'Rooms', exact: true }).click()
  await expect(page.getByRole('row', { name: /Live now/ })).toHaveCount(1)
  // Rooms by what they are, and by whether somebody is in.
  await owner.api.createRooms({ spaceId: at.spaceId, name: 'Open day', type: 'webinar' })
  const rooms = page.getByRole('table', { name: 'Rooms' }).getByRole('link', { name: /^(Algebra|Open day)$/ })
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Webinar')
  await expect(rooms).toHaveText(['Open day'])
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Live now')
  await expect(page.getByText('Nothing found')).toBeVisible()
  await page.getByRole('combobox', { name: 'Type' }).selectOption('All types')
  await expect(rooms).toHaveText(['Algebra'])
  await expect(page).toHaveURL(/\?live=true$/)
  await page.reload()
  await expect(rooms).toHaveText(['Algebra'])
  await rooms.click()

  // A raised hand comes first.
  await bob.guest.setHand({ ...at, raised: true })
  await expect(inCall(page, 'Bob')).toContainText('Hand raised')
  await expect(section(page).getByRole('row').nth(1)).toContainText('Bob')

  // One is muted, then all; moderators go on.
  for (const { room } of [teacher, ada, bob]) await publishMicrophone(room)
  await expect.poll(() => [ada, bob].map(one => isMuted(teacher.room, one.participantId))).toEqual([[false], [false]])
  await choose(page, 'Ada', 'Mute microphone')
  await expect(page.getByText('Ada is muted')).toBeVisible()
  await expect.poll(() => [ada, bob].map(one => isMuted(teacher.room, one.participantId))).toEqual([[true], [false]])
  await button(page, 'Mute everyone').click()
  await expect.poll(() => isMuted(teacher.room, bob.participantId)).toEqual([true])
  expect(isMuted(bob.room, teacher.participantId)).toEqual([false])

  // In a lesson everyone may speak: there is no floor to give.
  await button(page, 'Actions for Ada').click()
  await expect(page.getByRole('menuitem', { name: 'Remove' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Invite to speak' })).toBeHidden()
  await page.keyboard.press('Escape')

  // Removed, after asking, and out for good.
  await choose(page, 'Ada', 'Remove')
  await expect(page.getByRole('dialog')).toContainText('can’t rejoin')
  await expectFit(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(inCall(page, 'Ada')).toBeHidden()
  await expect(ada.guest.joinRoom(at)).rejects.toThrow('removed')
  await button(page, 'Lift ban: Ada').click()
  await expect(page.getByText('Ada can join the room again.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Banned people' })).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Algebra' })).toBeFocused()
  await ada.guest.joinRoom(at)
  // What the service refuses is said where it was asked.
  await choose(page, owner.username, 'Remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('You can’t remove this person from the call')
  await button(page, 'Cancel').click()

  // Locked, which ends with the call.
  const lock = page.getByRole('switch', { name: 'Lock the room' })
  await lock.click()
  await expect(page.getByText('Locked', { exact: true })).toBeVisible()
  await expect(lock).toHaveAccessibleDescription(/No one new can join this call/)
  await expect.poll(async () => (await owner.api.getRoom(at)).isLocked).toBe(true)
  await expectFit(page)

  await button(page, 'End for all').click()
  await page.getByRole('dialog').getByRole('button', { name: 'End for all' }).click()
  await expect(section(page)).toContainText('No one is in the room')
  await expect.poll(() => teacher.room.isConnected).toBe(false)
  await expect(lock).not.toBeChecked()
  await expect(page.getByText('Locked', { exact: true })).toHaveCount(0)

  // Past calls by day, as the reader counts them.
  await page.getByRole('link', { name: 'Past calls' }).first().click()
  await expect(page.getByRole('row')).toHaveCount(2)
  const day = (offset: number) =>
    page.evaluate(days => {
      const date = new Date()
      date.setDate(date.getDate() + days)
      return date.toLocaleDateString('sv')
    }, offset)
  await page.getByLabel('From').fill(await day(1))
  await expect(page.getByText('Nothing found')).toBeVisible()
  await page.getByLabel('From').fill(await day(0))
  await page.getByLabel('To', { exact: true }).fill(await day(0))
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByLabel('To', { exact: true }).fill(await day(-1))
  await expect(page.getByText('Nothing found')).toBeVisible()
  expect(unexpected(complaints)).toEqual([])
})

test('in a webinar that allows it a viewer is put on the air and taken off', { tag: '@long' }, async ({
  page,
  lectern,
}) => {
  const { owner, path, ...at } = await newRoom(lectern, { type: 'webinar', isFloorAllowed: true })
  const { participantId } = await enterAsGuest(lectern, owner, at, 'Ada')
  await openAs(page, lectern, owner, path)
  const hasFloor = async () => (await owner.api.getLiveCall(at)).participants[0]?.hasFloor
  await choose(page, 'Ada', 'Invite to speak')
  await expect(inCall(page, 'Ada')).toContainText('Live')
  expect(await hasFloor()).toBe(true)
  await choose(page, 'Ada', 'Move to viewers')
  await expect(inCall(page, 'Ada')).not.toContainText('Live')
  expect(await hasFloor()).toBe(false)

  // Among many they are looked for by name.
  await makeLarge(lectern, at.roomId, 'Viewer')
  await expect(section(page)).toContainText('102 people')
  await expect(inCall(page, 'Viewer')).toHaveCount(49)
  await button(page, 'Show more').click()
  await expect(inCall(page, 'Viewer')).toHaveCount(99)
  await section(page).getByRole('searchbox', { name: 'Search by name' }).fill('viewer 101')
  await expect(section(page).getByRole('row')).toHaveText([/^Name/, /Viewer 101/])
  await section(page).getByRole('searchbox').fill('nobody')
  await expect(section(page)).toContainText('No one has this name.')
  await expectFit(page)

  // What is no longer known is not offered as if it were, and what others do is seen by itself.
  await page.route('**/call', route => route.abort())
  await owner.api.removeParticipant({ ...at, participantId })
  await expect(section(page).getByRole('alert')).toContainText('Can’t reach the server')
  for (const name of ['Mute everyone', 'End for all', 'Actions for Ada']) await expect(button(page, name)).toBeHidden()
  await expect(button(page, 'Lift ban: Ada')).toBeVisible()
  await page.unroute('**/call')
  const emptied = { startedAt: new Date().toISOString(), participantCount: 0, participants: [] }
  await page.route('**/call', route => route.fulfill({ json: emptied }))
  await button(page, 'Try again').click()
  await expect(section(page)).toContainText('Everyone has left. The call will end shortly.')
  for (const name of ['Mute everyone', 'End for all']) await expect(button(page, name)).toBeHidden()
})

test('who may not moderate sees who is there, and no more', async ({ page, lectern }) => {
  const { owner, path, ...at } = await newRoom(lectern, { isPublic: true })
  const member = await newPerson(lectern, 'Member')
  await admit(owner.api, at.spaceId, member)
  const { room } = await enterAsGuest(lectern, owner, at, 'Ada')
  await openAs(page, lectern, member, path)
  await expect(inCall(page, 'Ada')).toBeVisible()
  for (const name of ['Mute everyone', 'End for all', 'Actions for Ada']) await expect(button(page, name)).toBeHidden()
  await room.disconnect()
})

test('a moderator who was removed is told so once', { tag: '@long' }, async ({ page, lectern }) => {
  const { owner, path, ...at } = await newRoom(lectern)
  const member = await newPerson(lectern)
  await admit(owner.api, at.spaceId, member)
  await owner.api.grantRole({ ...at, targetUserId: member.id, role: 'role_room_moderator' })
  const { participantId } = await enter(member.api, at)
  await owner.api.removeParticipant({ ...at, participantId })

  await openAs(page, lectern, member, path)
  await expect(page.getByRole('alert')).toHaveText([
    'You have been removed from this room. A moderator can lift the ban.',
  ])
  await expect(page.getByRole('heading', { level: 2 })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Open room' })).toBeHidden()
  await expectFit(page)
})

test('a past call: who came, when and for how long, on the page and in files', { tag: '@long' }, async ({
  page,
  lectern,
}) => {
  test.setTimeout(120_000)
  const complaints = watchForComplaints(page)
  const { owner, path, ...at } = await newRoom(lectern)
  const calls = `/spaces/${at.spaceId}/calls`
  await openAs(page, lectern, owner, calls)
  await expect(page.getByText('No calls yet')).toBeVisible()
  await expectFit(page)

  const teacher = await enter(owner.api, at)
  const ada = await enterAsGuest(lectern, owner, at, 'Ada', 'pupil7')
  await expect.poll(async () => (await owner.api.getLiveCall(at)).participants.length).toBe(2)
  await page.reload()
  await expect(page.getByRole('row').last()).toContainText(/Algebra.*Live/)
  await page.getByRole('link', { name: 'Algebra' }).click()
  await expect(page.getByText(/– now$/)).toHaveCount(2)
  await ada.room.disconnect()
  await expect(page.getByText(/– now$/)).toHaveCount(1)
  await teacher.room.disconnect()
  // The page follows to the end by itself.
  await expect(page.getByText(/– now$/)).toHaveCount(0, { timeout: 20_000 })
  await expect(page.getByText('Ended').first()).toBeVisible({ timeout: 20_000 })

  const table = page.getByRole('table', { name: 'Attendance' })
  await expect(table.getByRole('row')).toHaveCount(3)
  await expect(table.getByRole('row').filter({ hasText: owner.username })).toContainText(/Moderator.*Account/)
  await expect(table.getByRole('button', { name: 'Copy: User ID' })).toBeVisible()
  await expect(table.getByRole('row').filter({ hasText: 'Ada' })).toContainText(/Participant.*Guest.*pupil7.*sec/)
  const timeline = page.getByRole('img', { name: 'Timeline of 2 participants' })
  await expect(timeline.locator('[data-stay]')).toHaveCount(2)
  const drawn = async (row: number) => {
    const box = await timeline.locator(`[data-stay="${row}"]`).boundingBox()
    return { from: box?.x ?? 0, to: (box?.x ?? 0) + (box?.width ?? 0) }
  }
  const [whole, within] = [await drawn(0), await drawn(1)]
  expect(within.from).toBeGreaterThan(whole.from)
  expect(within.to).toBeLessThan(whole.to)
  await timeline.getByText('Ada').hover()
  await expect(page.getByRole('tooltip')).toContainText(/Ada\d/)
  await expectFit(page)

  const download = async (name: string) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()])
    return { name: file.suggestedFilename(), content: readFileSync(await file.path()) }
  }
  const csv = await download('CSV')
  expect(csv.name).toMatch(/^attendance-\d{4}-\d\d-\d\d-Algebra\.csv$/)
  const lines = csv.content.toString().trim().split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toContain(`"Algebra","${owner.username}","","Moderator","${owner.id}",""`)
  expect(lines[2]).toContain('"Algebra","Ada","","Participant","","pupil7"')
  const xlsx = await download('Excel')
  expect(xlsx.name).toMatch(/\.xlsx$/)
  // A zip, as every such file is.
  expect(xlsx.content.subarray(0, 2).toString()).toBe('PK')

  // By its room, too.
  await openAs(page, lectern, owner, `${path}/calls`)
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect(page.getByRole('row').last()).toContainText(/sec.*Ended/)
  await expectFit(page)
  await page.getByRole('table').getByRole('link').click()
  await expect(table.getByRole('row')).toHaveCount(3)

  // Kept when the room is gone.
  await owner.api.deleteRoom(at)
  await openAs(page, lectern, owner, calls)
  await page.getByRole('link', { name: 'Algebra' }).click()
  await expect(table.getByRole('row')).toHaveCount(3)
  expect(unexpected(complaints)).toEqual([])
})
