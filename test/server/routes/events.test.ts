import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EventName, events } from '../../../contract/events.ts'
import { createTell } from '../../../server/http/tell.ts'
import type { Trx } from '../../../server/store/tables.ts'
import { callsByHand } from '../../support/calls.ts'
import { admit, tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'

/* What a webhook is told beside calls and who is in them: each event once, with the change it tells of. */

let lectern: Lectern
let byHand: Awaited<ReturnType<typeof callsByHand>>
let owner: Person
let member: Person

const all = Object.keys(events) as EventName[]

beforeAll(async () => {
  lectern = await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
  byHand = await callsByHand(lectern)
  ;[owner, member] = await Promise.all([lectern.user(), lectern.user()])
})
afterAll(() => lectern.stop())

/** A space with a member, a room and a webhook that no one listens behind. */
const openSpace = async (wanted: EventName[] = all) => {
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
  await admit(owner, spaceId, member)
  await owner.createWebhook({ spaceId, url: 'http://127.0.0.1:9' })
  await owner.setWebhookEvents({ spaceId, events: wanted })
  return { spaceId, roomId }
}

/** The bodies of all events of the space, oldest first. */
const told = async (spaceId: string) => {
  const rows = await byHand.db
    .selectFrom('deliveries')
    .select(['eventName', 'body'])
    .where('spaceId', '=', spaceId)
    .orderBy('id')
    .execute()
  return rows.map(({ eventName, body }) => {
    const event = JSON.parse(body)
    expect([event.eventName, body]).toEqual([eventName, JSON.stringify(event)])
    const declared = events[eventName as EventName]
    for (const name of declared.required ?? []) expect(event).toHaveProperty(name)
    for (const name of Object.keys(event)) expect(declared.properties).toHaveProperty(name)
    const { occurredAt, ...fields } = event
    expect(Math.abs(Date.now() - Date.parse(occurredAt))).toBeLessThan(60_000)
    return fields
  })
}

test('a room is created, changed and deleted', async () => {
  const { spaceId } = await openSpace()
  const { id: roomId, alias } = await owner.createRooms({ spaceId, name: ' Algebra ', externalId: 'course-1' })
  const at = { spaceId, roomId }
  await owner.updateRoom({ spaceId, roomId: alias, name: 'Geometry', type: 'webinar' })
  await owner.updateRoom({ ...at, name: 'Geometry' })
  // The end of a call unlocks its room.
  const presence = await byHand.join(roomId, { userId: owner.id })
  await byHand.tell('joined', roomId, presence)
  await owner.updateRoom({ ...at, isLocked: true })
  await owner.endCall(at)
  await owner.deleteRoom(at)
  expect((await told(spaceId)).filter(({ eventName }) => eventName.startsWith('room_'))).toEqual([
    { eventName: 'room_created', ...at, name: 'Algebra', externalId: 'course-1' },
    { eventName: 'room_updated', ...at, name: 'Geometry', externalId: 'course-1', fields: 'name,type' },
    { eventName: 'room_updated', ...at, name: 'Geometry', externalId: 'course-1', fields: 'isLocked' },
    { eventName: 'room_updated', ...at, name: 'Geometry', externalId: 'course-1', fields: 'isLocked' },
    { eventName: 'room_deleted', ...at, name: 'Geometry', externalId: 'course-1' },
  ])
})

test('a role is granted, changed and revoked; one they have already is no news', async () => {
  const at = await openSpace()
  const grant = (role: 'role_room_user' | 'role_room_moderator') =>
    owner.grantRole({ ...at, targetUserId: member.id, role })
  for (const role of ['role_room_user', 'role_room_user', 'role_room_moderator'] as const) await grant(role)
  await owner.revokeRole({ ...at, userId: member.id })
  const of = { ...at, userId: member.id }
  expect(await told(at.spaceId)).toEqual([
    { eventName: 'role_granted', ...of, role: 'role_room_user' },
    { eventName: 'role_granted', ...of, role: 'role_room_moderator' },
    { eventName: 'role_revoked', ...of, role: 'role_room_moderator' },
  ])
})

describe('members', () => {
  test('join once, by an invite or with the account it creates, and their roles change', async () => {
    const { spaceId } = await openSpace()
    const person = await lectern.user()
    await admit(owner, spaceId, person)
    // More than they were, but no new member.
    await admit(owner, spaceId, person, 'role_space_moderator')
    const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
    const account = { email: `${spaceId}@example.com`, username: `new ${spaceId}`, password: 'password' }
    const { id } = await lectern.anonymous.registerWithInvite({ spaceId, inviteId, ...account })
    expect(await told(spaceId)).toEqual([
      { eventName: 'member_joined', spaceId, roomId: '', userId: person.id, role: 'role_space_user' },
      { eventName: 'member_role_changed', spaceId, roomId: '', userId: person.id, role: 'role_space_moderator' },
      { eventName: 'member_joined', spaceId, roomId: '', userId: id, role: 'role_space_user' },
    ])
    const before = (await told(spaceId)).length
    // What they are already is no news.
    await admit(owner, spaceId, person, 'role_space_moderator')
    for (const role of ['role_space_moderator', 'role_space_user'] as const)
      await owner.setMemberRole({ spaceId, userId: person.id, role })
    await owner.setSpaceOwner({ spaceId, userId: owner.id })
    await owner.setSpaceOwner({ spaceId, userId: person.id })
    expect((await told(spaceId)).slice(before)).toEqual([
      { eventName: 'member_role_changed', spaceId, roomId: '', userId: person.id, role: 'role_space_user' },
      { eventName: 'member_role_changed', spaceId, roomId: '', userId: owner.id, role: 'role_space_moderator' },
      { eventName: 'member_role_changed', spaceId, roomId: '', userId: person.id, role: 'role_space_owner' },
    ])
  })

  test.each(['leave', 'are removed', 'are deleted'])(
    '%s: their roles end, and their rooms pass to the owner',
    async way => {
      const at = await openSpace()
      const { spaceId } = at
      const person = await lectern.user()
      await admit(owner, spaceId, person, 'role_space_moderator')
      const { id: ownRoomId } = await person.createRooms({ spaceId, name: 'Own' })
      await owner.grantRole({ ...at, targetUserId: person.id, role: 'role_room_user' })
      const before = (await told(spaceId)).length
      // A role in a space they are no member of ends with the account alone.
      const elsewhere = await openSpace()
      await owner.grantRole({ ...elsewhere, targetUserId: person.id, role: 'role_room_moderator' })
      if (way === 'are deleted') await lectern.operator.deleteUser({ userId: person.id })
      else await (way === 'leave' ? person : owner).removeMember({ spaceId, userId: person.id })
      const userId = person.id
      const news = (await told(spaceId)).slice(before)
      expect(news).toHaveLength(3)
      expect(news).toEqual(
        expect.arrayContaining([
          { eventName: 'role_revoked', ...at, userId, role: 'role_room_user' },
          { eventName: 'room_updated', spaceId, roomId: ownRoomId, name: 'Own', externalId: null, fields: 'creatorId' },
          { eventName: 'member_left', spaceId, roomId: '', userId, role: 'role_space_moderator' },
        ]),
      )
      expect((await told(elsewhere.spaceId)).slice(1)).toEqual(
        way === 'are deleted' ? [{ eventName: 'role_revoked', ...elsewhere, userId, role: 'role_room_moderator' }] : [],
      )
    },
  )
})

test('a guest link is used: once, however often the request is repeated', async () => {
  const at = await openSpace()
  const link = { ...at, role: 'user', isPermanent: true, externalUserId: 'pupil7' } as const
  const accessToken = tokenOf(await owner.generateAccess(link))
  const redeem = () =>
    lectern.anonymous.redeemAccess({ accessToken, participantName: ' Grace ' }, { idempotencyKey: at.roomId })
  await redeem()
  await redeem()
  const [{ id: linkId } = { id: '' }] = (await owner.listLinks(at)).items
  expect(await told(at.spaceId)).toEqual([
    { eventName: 'link_redeemed', ...at, linkId, name: 'Grace', externalUserId: 'pupil7' },
  ])
})

describe('in a call', () => {
  /** The owner and a guest are in it; what was told before is left out. */
  const openCall = async () => {
    const at = await openSpace()
    await owner.updateRoom({ ...at, type: 'webinar', isPublic: true })
    const link = { ...at, role: 'user', username: 'Grace', externalUserId: 'pupil7' } as const
    const accessToken = tokenOf(await owner.generateAccess(link))
    const { guestToken, guestId } = await lectern.anonymous.redeemAccess({ accessToken })
    const own = await byHand.join(at.roomId, { userId: owner.id })
    const theirs = await byHand.join(at.roomId, { guestId }, 'pupil7')
    await byHand.tell('joined', at.roomId, own)
    await byHand.tell('joined', at.roomId, theirs)
    const { id: callId } = await owner.getLiveCall(at)
    const earlier = (await told(at.spaceId)).length
    return {
      at,
      guest: lectern.withToken(guestToken),
      ofOwner: { ...at, callId, participantId: own.participantId, userId: owner.id, externalUserId: null },
      ofGuest: { ...at, callId, participantId: theirs.participantId, userId: null, externalUserId: 'pupil7' },
      news: async () => (await told(at.spaceId)).slice(earlier),
    }
  }

  test('who joins and leaves has the user’s id, or that of the other system', async () => {
    const { at, ofOwner, ofGuest } = await openCall()
    await owner.endCall(at)
    const about = (await told(at.spaceId)).filter(({ eventName }) => eventName.startsWith('participant_'))
    const [asOwner, asGuest] = [
      { ...ofOwner, name: owner.username, role: 'moderator' },
      { ...ofGuest, name: 'Grace', role: 'user' },
    ]
    expect(about).toEqual([
      { eventName: 'participant_joined', ...asOwner },
      { eventName: 'participant_joined', ...asGuest },
      { eventName: 'participant_left', ...asOwner },
      { eventName: 'participant_left', ...asGuest },
    ])
  })

  test('a hand is raised: once, until it was lowered, and only by who is there', async () => {
    const { at, guest, ofGuest, news } = await openCall()
    for (const raised of [true, true, false, true]) await guest.setHand({ ...at, raised })
    await member.setHand({ ...at, raised: true })
    const event = { eventName: 'hand_raised', ...ofGuest, name: 'Grace', role: 'user' }
    expect(await news()).toEqual([event, event])
  })

  test('a message is posted, unless it is for the hosts alone', async () => {
    const { at, guest, ofOwner, ofGuest, news } = await openCall()
    const { id } = await guest.createMessage({ ...at, text: ' “Why?” \u2028 😀 ', isQuestion: true })
    await guest.createMessage({ ...at, text: 'In private', to: 'hosts' })
    const { id: answerId } = await owner.createMessage({ ...at, text: 'Because' })
    const { id: strayId } = await member.createMessage({ ...at, text: 'From outside' })
    const posted = { eventName: 'message_posted' }
    expect(await news()).toEqual([
      { ...posted, ...ofGuest, messageId: id, name: 'Grace', text: '“Why?” \u2028 😀' },
      { ...posted, ...ofOwner, messageId: answerId, name: owner.username, text: 'Because' },
      {
        ...posted,
        ...ofOwner,
        messageId: strayId,
        name: member.username,
        text: 'From outside',
        participantId: null,
        userId: member.id,
      },
    ])
  })
})

describe('a webhook that has not asked for it', () => {
  test('is told nothing, and nothing is asked of the database for it', async () => {
    const at = await openSpace(['call_finished'])
    await owner.updateRoom({ ...at, name: 'Renamed' })
    await owner.removeMember({ spaceId: at.spaceId, userId: member.id })
    expect(await told(at.spaceId)).toEqual([])
    const untouchable = new Proxy({} as Trx, {
      get() {
        throw new Error('the database is asked')
      },
    })
    const tell = createTell(Date.now, () => {})
    const change = (wantedEvents: string | null) =>
      tell(untouchable, { space: { id: at.spaceId }, wantedEvents }, 'room_created', {
        roomId: at.roomId,
        name: 'Room',
        externalId: null,
      })
    for (const wanted of [null, '[]', '["room_deleted","room_updated"]']) await change(wanted)
    await expect(change('["room_created"]')).rejects.toThrow('the database is asked')
  })

  test('is told nothing while it is off', async () => {
    const at = await openSpace()
    await owner.updateWebhook({ spaceId: at.spaceId, url: 'http://127.0.0.1:9', isActive: false })
    await owner.updateRoom({ ...at, name: 'Renamed' })
    await owner.removeMember({ spaceId: at.spaceId, userId: member.id })
    expect(await told(at.spaceId)).toEqual([])
  })
})
