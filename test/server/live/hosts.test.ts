import { expect, test, vi } from 'vitest'
import { callsByHand } from '../../support/calls.ts'
import { admit } from '../../support/cast.ts'
import { fillCall } from '../../support/crowd.ts'
import { createRooms, settingsFor, startEngineNode } from '../../support/engine.ts'
import { startLectern } from '../../support/lectern.ts'
import { countStatements } from '../../support/statements.ts'

/* Whom the engine is told to give a message for the hosts, or to mute. That it does so is in media/live.test.ts. */

test('a message to the hosts goes to whoever is one at that moment, and to its author; others are muted', async () => {
  const rooms = createRooms()
  const lectern = await startLectern(settingsFor(await startEngineNode(rooms)))
  const [owner, host, author, viewer] = await Promise.all(Array.from({ length: 4 }, () => lectern.user()))
  if (!owner || !host || !author || !viewer) throw new Error('too few')
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  for (const person of [host, author, viewer]) await admit(owner, spaceId, person)
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', isPublic: true, type: 'webinar' })
  const at = { spaceId, roomId }
  await owner.grantRole({ ...at, targetUserId: host.id, role: 'role_room_moderator' })
  const { db, join, tell } = await callsByHand(lectern)
  const idOf = new Map<object, string>()
  const enter = async (person: { id: string }) => {
    const presence = await join(roomId, { userId: person.id })
    await tell('joined', roomId, presence)
    idOf.set(person, presence.participantId)
  }
  for (const person of [host, author, viewer]) await enter(person)

  const sent = () => rooms.asked.filter(({ method, to }) => method === 'SendData' && to)
  const isSentTo = async (...people: object[]) => {
    await vi.waitFor(() => expect(sent()).not.toEqual([]), { timeout: 5000 })
    const ids = people.map(person => idOf.get(person)).sort()
    expect(sent().map(({ to }) => to?.toSorted())).toEqual([ids])
    rooms.asked.length = 0
  }
  await vi.waitFor(() => lectern.engine(), { timeout: 10_000 })
  const { id: messageId } = await author.createMessage({ ...at, text: 'Hello', to: 'hosts', isQuestion: true })
  await isSentTo(host, author)
  await host.setAnswered({ ...at, messageId, answered: true })
  await isSentTo(host, author)

  // No host any more, whatever is noted of the stay.
  await owner.revokeRole({ ...at, userId: host.id })
  await db
    .updateTable('stays')
    .set({ role: 'moderator' })
    .where('participantId', '=', idOf.get(host) ?? '')
    .execute()
  rooms.asked.length = 0
  await owner.deleteMessage({ ...at, messageId })
  await isSentTo(author)

  // Nobody who may read it is inside: to LiveKit no names would be everyone.
  await owner.createMessage({ ...at, text: 'To myself', to: 'hosts' })
  await owner.createMessage({ ...at, text: 'To all' })
  const told = () => rooms.asked.map(({ data = '' }) => Buffer.from(data, 'base64').toString()).join()
  await vi.waitFor(() => expect(told()).toContain('To all'), { timeout: 5000 })
  expect(told()).not.toContain('To myself')

  // Everyone is muted but who moderates at that moment, without a look at each for itself.
  await owner.grantRole({ ...at, targetUserId: host.id, role: 'role_room_moderator' })
  const crowd = await fillCall(
    db,
    roomId,
    Array.from({ length: 100 }, () => ({})),
  )
  rooms.asked.length = 0
  const measure = countStatements()
  expect((await measure(() => owner.muteAll({ ...at, source: 'microphone' }))).statements).toBeLessThan(50)
  const muted = rooms.asked.filter(({ method }) => method === 'GetParticipant').map(({ identity }) => identity)
  expect(muted.toSorted()).toEqual([idOf.get(author), idOf.get(viewer), ...crowd].toSorted())
}, 30_000)
