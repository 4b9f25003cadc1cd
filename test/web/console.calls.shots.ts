import { admit, newPerson, openAs } from './support/console.ts'
import { expect, test } from './support/lectern.ts'
import { enter, enterAsGuest } from './support/participant.ts'
import { makeSchool, newTeacher } from './support/school.ts'
import { shoot, shootDialog, shootPage } from './support/shots.ts'

test.use({ environment: { LECTERN_CALL_GRACE: '1' } })
test('a call, while it goes on and afterwards', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern)
  const { spaceId, webinar } = await makeSchool(ada.api)
  const at = { spaceId, roomId: webinar.id }
  const path = `/spaces/${spaceId}/rooms/${webinar.alias}`
  const host = await enter(ada.api, at)
  const grace = await enterAsGuest(lectern, ada, at, 'Grace Hopper', 'pupil7')
  const mary = await enterAsGuest(lectern, ada, at, 'Mary Somerville')
  await mary.guest.setHand({ ...at, raised: true })
  await expect.poll(async () => (await ada.api.getLiveCall(at)).participants.length).toBe(3)
  await ada.api.setFloor({ ...at, participantId: grace.participantId, onAir: true })
  await openAs(page, lectern, ada, path)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await shootPage(page, 'Open day', 'console-live')

  await page.getByRole('button', { name: 'Actions for Mary Somerville' }).click()
  await expect(page.getByRole('menuitem', { name: 'Remove' })).toBeVisible()
  await shoot(page, 'console-live-menu')
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await shootDialog(page, 'console-live-remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('region', { name: 'Banned people' })).toBeVisible()
  await expect(page.getByText('2 people')).toBeVisible()
  await shootPage(page, 'Open day', 'console-live-removed')
  await page.getByRole('button', { name: 'Mute everyone' }).click()
  await expect(page.getByText('Everyone except moderators is muted')).toBeVisible()
  await shoot(page, 'console-live-muted')
  await page.getByRole('button', { name: 'End for all' }).click()
  await shootDialog(page, 'console-live-end')

  await page.goto(`${lectern.url}/spaces/${spaceId}`)
  await shootPage(page, 'Rooms', 'console-rooms-live')
  // Somebody goes before the others.
  await grace.room.disconnect()
  await expect.poll(async () => (await ada.api.getLiveCall(at)).participants.length).toBe(1)
  await page.goto(`${lectern.url}/spaces/${spaceId}/calls`)
  await shootPage(page, 'Past calls', 'console-calls-going-on')
  for (const { room } of [host]) await room.disconnect()
  await expect.poll(async () => (await ada.api.listSpaceCalls({ spaceId })).items[0]?.endedAt).not.toBeNull()

  await page.reload()
  await shootPage(page, 'Past calls', 'console-calls')
  await page.goto(`${lectern.url}${path}/calls`)
  await shootPage(page, 'Open day', 'console-calls-of-room')
  await page.getByRole('table').getByRole('link').click()
  await expect(page.getByRole('img', { name: 'Timeline of 3 participants' })).toBeVisible()
  await shootPage(page, 'Open day', 'console-call')
})

test('as a moderator who was removed', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern)
  const { spaceId, lesson } = await makeSchool(ada.api)
  const at = { spaceId, roomId: lesson.id }
  const grace = await newPerson(lectern, 'grace')
  await admit(ada.api, spaceId, grace)
  await ada.api.grantRole({ ...at, targetUserId: grace.id, role: 'role_room_moderator' })
  const { participantId } = await enter(grace.api, at)
  await ada.api.removeParticipant({ ...at, participantId })
  await openAs(page, lectern, grace, `/spaces/${spaceId}/rooms/${lesson.alias}`)
  await expect(page.getByRole('alert')).toHaveCount(1)
  await shootPage(page, 'Algebra, first lesson', 'console-room-removed')
})
