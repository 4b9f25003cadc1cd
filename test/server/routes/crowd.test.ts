import pg from 'pg'
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import type { MediaEngine } from '../../../server/media/engine.ts'
import { callsByHand } from '../../support/calls.ts'
import { admit, type Cast, createCast, tokenOf } from '../../support/cast.ts'
import { fillCall, type Inside } from '../../support/crowd.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'

/* Calls with more in them than every page can be told of. */

let lectern: Lectern
let cast: Cast
let byHand: Awaited<ReturnType<typeof callsByHand>>

beforeAll(async () => {
  // An engine that does not answer: where there is none, a node that becomes the lead empties the calls.
  lectern = await startLectern({
    LECTERN_CALL_GRACE: '3600',
    LECTERN_MEDIA: 'on',
    LECTERN_LIVEKIT_URL: 'http://127.0.0.1:1',
    LECTERN_LIVEKIT_API_KEY: 'key',
    LECTERN_LIVEKIT_API_SECRET: 'a secret for this test alone',
  })
  cast = await createCast(lectern)
  byHand = await callsByHand(lectern)
})

/** A call with its moderator and a viewer in it, and others. */
const openCall = async (others: Inside[]) => {
  const { id: roomId } = await cast.owner.createRooms({ spaceId: cast.spaceId, name: 'Room', type: 'webinar' })
  const at = { spaceId: cast.spaceId, roomId }
  const viewer = await lectern.user()
  await admit(cast.owner, cast.spaceId, viewer)
  await cast.owner.grantRole({ ...at, targetUserId: viewer.id, role: 'role_room_user' })
  const enter = async (userId: string) => {
    const presence = await byHand.join(roomId, { userId })
    await byHand.tell('joined', roomId, presence)
    return presence.participantId
  }
  const [moderatorId, viewerId] = [await enter(cast.owner.id), await enter(viewer.id)]
  return { at, viewer, moderatorId, viewerId, ids: await fillCall(byHand.db, roomId, others) }
}

const many = (count: number, one: Inside = {}): Inside[] => Array.from({ length: count }, () => one)
const idsOf = (participants: { participantId: string }[]) => participants.map(one => one.participantId)

describe('the call', () => {
  test('lists everyone in it up to 100, with their number', async () => {
    const { at, viewer, moderatorId, viewerId, ids } = await openCall(many(98))
    await fillCall(byHand.db, at.roomId, many(3, { leftAt: Date.now() }))
    const { participantCount, participants } = await viewer.getLiveCall(at)
    expect(participantCount).toBe(100)
    expect(idsOf(participants)).toEqual([moderatorId, viewerId, ...ids])
  })

  test('lists beyond that who is on air or has raised a hand, and whoever asks', async () => {
    const speaker = { name: 'Speaker', hasFloor: true }
    const raised = { name: 'Raised', handRaisedAt: Date.now() }
    const { at, viewer, moderatorId, viewerId, ids } = await openCall([
      ...many(50),
      speaker,
      raised,
      { name: 'Second', role: 'moderator' },
      ...many(50),
    ])
    await fillCall(byHand.db, at.roomId, [{ ...raised, leftAt: Date.now() }])
    const seen = await viewer.getLiveCall(at)
    expect(seen.participantCount).toBe(105)
    expect(idsOf(seen.participants)).toEqual([moderatorId, viewerId, ...ids.slice(50, 53)])
    expect(seen.participants[2]).toMatchObject({ name: 'Speaker', hasFloor: true, role: 'user' })
    expect(seen.participants[3]).toMatchObject({ handRaisedAt: expect.stringMatching(/Z$/), hasFloor: false })
    expect(idsOf((await cast.owner.getLiveCall(at)).participants)).toEqual([moderatorId, ...ids.slice(50, 53)])
    // What they do shows at once.
    await viewer.setHand({ ...at, raised: true })
    expect(idsOf((await cast.owner.getLiveCall(at)).participants)).toContain(viewerId)
  })

  test('lists no more than 50 of each, hands in the order they went up', async () => {
    const hands = Array.from({ length: 60 }, (_, n) => ({ handRaisedAt: Date.now() - n }))
    const gone = many(60, { handRaisedAt: 1, leftAt: Date.now() })
    const all = [...hands, ...many(60, { hasFloor: true }), ...many(60, { role: 'moderator' }), ...gone]
    const { at, viewer, moderatorId, viewerId, ids } = await openCall(all)
    const { participantCount, participants } = await viewer.getLiveCall(at)
    expect(participantCount).toBe(182)
    expect(participants).toHaveLength(1 + 150)
    expect(idsOf(participants)).toEqual(expect.arrayContaining([moderatorId, viewerId, ...ids.slice(10, 60)]))
  })
})

describe('the participants of a call', () => {
  test('are listed page by page, in the order they joined', async () => {
    const { at, moderatorId, viewerId, ids } = await openCall(many(120))
    await fillCall(byHand.db, at.roomId, many(1, { leftAt: Date.now() }))
    const listed: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { items, nextCursor } = await cast.owner.listCallParticipants({ ...at, ...(cursor && { cursor }) })
      listed.push(...idsOf(items))
      if (nextCursor === null) break
      expect(items).toHaveLength(50)
      cursor = nextCursor
    }
    expect(listed).toEqual([moderatorId, viewerId, ...ids])
  })

  test('are found by name, in any alphabet and case, over several pages', async () => {
    const { at, ids } = await openCall([
      { name: 'Анна Ёлкина' },
      ...many(700),
      { name: 'ANNA B.' },
      { name: 'ёлкин' },
      { name: '100% Zoë' },
    ])
    const find = async (q: string, more: { limit?: number; cursor?: string } = {}) => {
      const { items, nextCursor } = await cast.owner.listCallParticipants({ ...at, q, ...more })
      return { names: items.map(({ name }) => name), nextCursor, last: items.at(-1)?.participantId }
    }
    expect((await find(' ЁЛКИН ')).names).toEqual(['Анна Ёлкина', 'ёлкин'])
    expect((await find('anna')).names).toEqual(['ANNA B.'])
    expect((await find('%')).names).toEqual(['100% Zoë'])
    expect((await find('zoë')).last).toBe(ids.at(-1))
    expect(await find('nobody')).toMatchObject({ names: [], nextCursor: null })
    expect((await find('')).names).toHaveLength(50)
    const first = await find('ёлкин', { limit: 1 })
    expect(first.names).toEqual(['Анна Ёлкина'])
    const second = await find('ёлкин', { limit: 1, cursor: first.nextCursor ?? '' })
    expect(second).toMatchObject({ names: ['ёлкин'], nextCursor: null })
  })

  test('are for moderators of a room with a call', async () => {
    const { at, viewer } = await openCall([])
    expect(await refusal(viewer.listCallParticipants(at))).toEqual([403, 'not_allowed'])
    expect(await refusal(cast.stranger.listCallParticipants(at))).toEqual([404, 'not_found'])
    await cast.owner.endCall(at)
    expect(await refusal(cast.owner.listCallParticipants(at))).toEqual([404, 'no_call'])
    const [status] = await refusal(cast.owner.listCallParticipants({ ...at, q: 'x'.repeat(101) }))
    expect(status).toBe(400)
  })
})

test('the more are inside, the longer changes are gathered before everyone is told of them', async () => {
  const { at } = await openCall(many(1000))
  const sent: number[] = []
  const control = {
    send: async () => void sent.push(performance.now()),
    setRights: async () => {},
  } as unknown as MediaEngine
  const { join, tell } = await callsByHand(lectern, control)
  const begun = performance.now()
  for (let n = 0; n < 3; n++) {
    const viewer = await lectern.user()
    await admit(cast.owner, cast.spaceId, viewer)
    await cast.owner.grantRole({ ...at, targetUserId: viewer.id, role: 'role_room_user' })
    await tell('joined', at.roomId, await join(at.roomId, { userId: viewer.id }))
  }
  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(0), { timeout: 5000 })
  expect((sent[0] ?? 0) - begun).toBeGreaterThan(1000)
})

test.skipIf(inject('database') === 'sqlite')('guests of one link don’t wait for each other', async () => {
  const { id: roomId } = await cast.owner.createRooms({ spaceId: cast.spaceId, name: 'Room' })
  const link = { spaceId: cast.spaceId, roomId, role: 'user', isPermanent: true } as const
  const accessToken = tokenOf(await cast.owner.generateAccess(link))
  const redeem = (participantName: string) => lectern.anonymous.redeemAccess({ accessToken, participantName })
  await redeem('First')
  // As a guest who is being let in holds it.
  const other = new pg.Client(lectern.config.databaseUrl ?? '')
  await other.connect()
  onTestFinished(() => other.end())
  await other.query('begin')
  await other.query('select id from links where "roomId" = $1 for share', [roomId])
  expect((await redeem('Second')).participantName).toBe('Second')
})
