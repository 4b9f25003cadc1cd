import { openAs } from './support/console.ts'
import { expect } from './support/lectern.ts'
import { enter, enterAsGuest } from './support/participant.ts'
import { control, join, makeRoom, signIn, test } from './support/room.ts'
import { makeSchool, newTeacher } from './support/school.ts'
import { shoot, shootPage } from './support/shots.ts'

/* What a chat can hold, in a webinar and afterwards. */

test('the chat of a webinar, as a viewer and as a host', async ({ lectern, person, page }) => {
  const { spaceId, roomId, link, address } = await makeRoom(lectern, { type: 'webinar', name: 'Open day' })
  const at = { spaceId, roomId }
  await signIn(page, lectern)
  await join(page, address)
  await control(page, 'Chat').click()
  const { guest } = await enterAsGuest(lectern, { api: lectern.operator }, at, 'Mary Somerville')
  await guest.createMessage({ ...at, text: 'Good evening from Edinburgh!' })
  const { id: messageId } = await guest.createMessage({ ...at, text: 'Will there be a recording?', isQuestion: true })
  await lectern.operator.setAnswered({ ...at, messageId, answered: true })
  await lectern.operator.createMessage({ ...at, text: 'Yes, you will find it here: https://example.com/recordings' })
  const viewer = await person()
  await join(viewer.page, await link('Grace Hopper'))
  await control(viewer.page, 'Chat').click()
  await shoot(viewer.page, 'room-chat-webinar')
  await viewer.page.getByLabel('To', { exact: true }).selectOption('To hosts only')
  await viewer.page.getByLabel('Send a message').fill('I can’t hear the second speaker at all.')
  await viewer.page.getByLabel('Question', { exact: true }).check()
  await shoot(viewer.page, 'room-chat-to-hosts')
  await viewer.page.getByLabel('Send a message').press('Enter')
  await expect(viewer.page.getByText('Only hosts see this', { exact: true })).toBeVisible()
  await shoot(viewer.page, 'room-chat-sent-to-hosts')

  await expect(page.getByText('I can’t hear the second speaker')).toBeVisible()
  await shoot(page, 'room-chat-host')
  await page.getByText('Unanswered', { exact: true }).click()
  await shoot(page, 'room-chat-unanswered')
  await page.getByRole('button', { name: 'Mark as answered' }).click()
  await expect(page.getByText('No unanswered questions.')).toBeVisible()
  await shoot(page, 'room-chat-all-answered')
})

test('the chat of a past call', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern)
  const { spaceId, webinar } = await makeSchool(ada.api)
  const at = { spaceId, roomId: webinar.id }
  await enter(ada.api, at)
  const { guest } = await enterAsGuest(lectern, ada, at, 'Mary Somerville')
  await guest.createMessage({ ...at, text: 'Good evening!' })
  await guest.createMessage({ ...at, text: 'I can’t hear the second speaker.', to: 'hosts' })
  const { id: messageId } = await guest.createMessage({ ...at, text: 'Is there homework?', isQuestion: true })
  await guest.createMessage({ ...at, text: 'And until when?', isQuestion: true })
  await ada.api.setAnswered({ ...at, messageId, answered: true })
  await ada.api.createMessage({ ...at, text: 'Yes: chapters one to three.\nHere: https://example.com/chapters' })
  const { id: callId } = await ada.api.getLiveCall(at)
  await ada.api.endCall(at)
  await openAs(page, lectern, ada, `/spaces/${spaceId}/rooms/${webinar.alias}/calls/${callId}`)
  await expect(page.getByRole('region', { name: 'Chat' }).getByRole('listitem')).toHaveCount(5)
  await shootPage(page, 'Open day', 'console-call-chat')
})
