import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { callsByHand } from '../../support/calls.ts'
import { refusals, tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'
import { startListingEngine } from '../../support/listing.ts'
import { startReceiver } from '../../support/receiver.ts'

/* Over an engine without media: who is in a call is told by the test. */

type Draft = Omit<Parameters<Client['createRooms']>[0], 'spaceId' | 'name'>
type Place = Awaited<ReturnType<typeof openRoom>>

let lectern: Lectern
let engine: Awaited<ReturnType<typeof startListingEngine>>
let owner: Person

beforeAll(async () => {
  engine = await startListingEngine()
  lectern = await startLectern({ ...engine.settings, LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1', LECTERN_CALL_GRACE: '0' })
  owner = await lectern.user()
})

const openRoom = async (draft: Draft = { waitingRoomAudience: 'guests' }) => {
  const { id: spaceId } = await owner.createSpaces({ name: 'Space', isPublic: true })
  const { id: roomId, channelId } = await owner.createRooms({ spaceId, name: 'Room', isPublic: true, ...draft })
  return { at: { spaceId, roomId }, channelId }
}

const guestOf = async (
  { at }: Place,
  link: Partial<Parameters<Client['generateAccess']>[0]> = {},
  participantName = 'Ada',
) => {
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', ...link }))
  const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken, participantName })
  return lectern.withToken(guestToken)
}

/** Whether the media token of a join opens the door. */
const knock = async (joined: { mediaUrl: string; mediaToken: string }) => {
  const door = `${joined.mediaUrl.replace(/^ws/, 'http')}/rtc/validate?access_token=${joined.mediaToken}`
  return (await fetch(door)).status
}

/** Joins and is in the call. */
const enter = async (person: Client, { at, channelId }: Place, tabKey?: string) => {
  const joined = await person.joinRoom({ ...at, ...(tabKey && { tabKey }) })
  if (joined.state !== 'admitted') throw new Error('they have to wait')
  expect(await knock(joined)).toBe(200)
  await engine.joined(lectern.url, channelId, joined.participantId)
  return joined
}

const stateOf = async (person: Client, { at }: Place) => (await person.joinRoom(at)).state
const namesIn = async ({ at }: Place) => (await owner.listWaiting(at)).items.map(({ name }) => name)
const later = (what: () => Promise<void>) => vi.waitFor(what, { timeout: 10_000, interval: 50 })

describe('the waiting room', () => {
  test('lets nobody in before a moderator does, and back without asking until the call ends', async () => {
    const place = await openRoom()
    const { at, channelId } = place
    const guest = await guestOf(place, { externalUserId: 'student42' })
    const tabKey = 'tab-of-the-guest'
    const asked = await guest.joinRoom({ ...at, tabKey })
    expect(asked).toEqual({ state: 'waiting', participantId: asked.participantId, name: 'Ada', role: 'user' })
    const { items } = await owner.listWaiting(at)
    expect(items).toEqual([
      { participantId: asked.participantId, name: 'Ada', since: items[0]?.since, externalUserId: 'student42' },
    ])
    // Asking again is the same person, in the same place.
    expect((await guest.joinRoom({ ...at, tabKey })).participantId).toBe(asked.participantId)
    expect((await owner.listWaiting(at)).items).toEqual(items)
    const attempts = {
      getLiveCall: guest.getLiveCall(at),
      listMessages: guest.listMessages(at),
      createMessage: guest.createMessage({ ...at, text: 'Hello' }),
      setHand: guest.setHand({ ...at, raised: true }),
    }
    expect(await refusals(attempts)).toEqual(Object.keys(attempts).map(name => [name, 403, 'not_admitted']))

    await owner.admitWaiting({ ...at, participantId: asked.participantId })
    expect(await namesIn(place)).toEqual([])
    const joined = await enter(guest, place, tabKey)
    expect(joined).toMatchObject({ state: 'admitted', participantId: asked.participantId })
    // Also by another tab, and by another link of the same person, in the same tab.
    expect(await stateOf(guest, place)).toBe('admitted')
    const back = await enter(await guestOf(place, { externalUserId: 'student42' }), place, tabKey)
    for (const { participantId } of [joined, back]) await engine.left(lectern.url, channelId, participantId)
    await later(async () => expect(await stateOf(guest, place)).toBe('waiting'))
  })

  test('answers who is kept waiting as soon as it is decided, on whichever node', async () => {
    const place = await openRoom()
    const { at } = place
    const people = await Promise.all(['Ada', 'Bob', 'Eve'].map(name => guestOf(place, {}, name)))
    const answers = people.map(person => person.joinRoom(at, { waitSeconds: 20 }).catch(error => error.code))
    await later(async () => expect((await namesIn(place)).toSorted()).toEqual(['Ada', 'Bob', 'Eve']))
    const idOf = async (name: string) =>
      (await owner.listWaiting(at)).items.find(person => person.name === name)?.participantId ?? ''
    const began = performance.now()
    await owner.admitWaiting({ ...at, participantId: await idOf('Ada') })
    expect(await answers[0]).toMatchObject({ state: 'admitted', name: 'Ada' })
    await owner.denyWaiting({ ...at, participantId: await idOf('Eve') })
    expect(await answers[2]).toBe('denied')
    await owner.admitAllWaiting(at)
    expect(await answers[1]).toMatchObject({ state: 'admitted', name: 'Bob' })
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  test('opens for those who wait when it is turned off, and answers them when the room is locked', async () => {
    const place = await openRoom()
    const { at } = place
    /** What somebody who waits is told after the change. */
    const toldOf = async (change: Omit<Parameters<Client['updateRoom']>[0], 'spaceId' | 'roomId'>, name: string) => {
      const guest = await guestOf(place, {}, name)
      const answer = guest.joinRoom(at, { waitSeconds: 20 }).then(
        ({ state }) => state,
        error => error.code,
      )
      await later(async () => expect(await namesIn(place)).toContain(name))
      await owner.updateRoom({ ...at, ...change })
      return answer
    }
    expect(await toldOf({ isLocked: true }, 'Ada')).toBe('room_locked')
    await owner.updateRoom({ ...at, isLocked: false })
    expect(await toldOf({ waitingRoomAudience: 'nobody' }, 'Bob')).toBe('admitted')
    expect(await namesIn(place)).toEqual([])
  })

  test('keeps whoever was denied out for ten minutes, unless they are admitted after all', async () => {
    const place = await openRoom()
    const { at } = place
    const guest = await guestOf(place)
    const { participantId } = await guest.joinRoom(at)
    for (let twice = 0; twice < 2; twice++) await owner.denyWaiting({ ...at, participantId })
    expect(await refusal(guest.joinRoom(at))).toEqual([403, 'denied'])
    expect(await refusal(guest.getLiveCall(at))).toEqual([403, 'denied'])
    lectern.advance(10 * 60_000)
    expect(await stateOf(guest, place)).toBe('waiting')
    const again = (await owner.listWaiting(at)).items[0]?.participantId ?? ''
    await owner.denyWaiting({ ...at, participantId: again })
    await owner.admitWaiting({ ...at, participantId: again })
    expect(await stateOf(guest, place)).toBe('admitted')
    expect(await refusal(owner.denyWaiting({ ...at, participantId: again }))).toEqual([404, 'not_found'])
    expect(await refusal(owner.admitWaiting({ ...at, participantId: owner.id }))).toEqual([404, 'not_found'])
  })

  test('is for whom the room says, and never for moderators', async () => {
    const place = await openRoom()
    const { at } = place
    const user = await lectern.user()
    const moderator = await guestOf(place, { role: 'moderator' })
    const states = () =>
      Promise.all([owner, moderator, user].map(person => stateOf(person, place))).then(found => found.join(' '))
    expect(await states()).toBe('admitted admitted admitted')
    await owner.updateRoom({ ...at, waitingRoomAudience: 'everyone' })
    expect(await states()).toBe('admitted admitted waiting')
    for (const person of [user, await guestOf(place)])
      for (const attempt of await refusals([person.listWaiting(at), person.admitAllWaiting(at)]))
        expect(attempt.slice(1)).toEqual([403, 'not_allowed'])
    await stateOf(await guestOf(place), place)
    expect((await moderator.listWaiting(at)).items.map(({ name }) => name)).toEqual([user.username, 'Ada'])
    await owner.updateRoom({ ...at, waitingRoomAudience: 'guests' })
    expect(await namesIn(place)).toEqual(['Ada'])
    await owner.updateRoom({ ...at, waitingRoomAudience: 'everyone' })
    expect(await stateOf(user, place)).toBe('waiting')
    await moderator.admitAllWaiting(at)
    expect(await stateOf(user, place)).toBe('admitted')
  })

  test('forgets who stops asking: at once when the page is closed, else within 40 seconds', async () => {
    const place = await openRoom()
    const closing = new AbortController()
    const [closed, silent] = await Promise.all([guestOf(place, {}, 'Closed'), guestOf(place, {}, 'Silent')])
    const held = closed.joinRoom(place.at, { waitSeconds: 20, signal: closing.signal })
    await later(async () => expect(await namesIn(place)).toEqual(['Closed']))
    await silent.joinRoom(place.at)
    closing.abort()
    await expect(held).rejects.toThrow()
    lectern.advance(6000)
    await later(async () => expect(await namesIn(place)).toEqual(['Silent']))
    lectern.advance(40_000)
    expect(await namesIn(place)).toEqual([])
    // Nobody can be admitted who is not there, and whoever comes back begins anew.
    await owner.admitAllWaiting(place.at)
    expect(await stateOf(silent, place)).toBe('waiting')
    expect(await namesIn(place)).toEqual(['Silent'])
  })

  test('makes a media token from before useless, but not for who is in the call', async () => {
    const place = await openRoom({})
    const { at, channelId } = place
    const [early, inside] = [await guestOf(place, {}, 'Early'), await guestOf(place, {}, 'Inside')]
    const token = await early.joinRoom(at)
    if (token.state !== 'admitted') throw new Error('nobody has to wait')
    const there = await enter(inside, place)
    await owner.updateRoom({ ...at, waitingRoomAudience: 'everyone' })
    expect(await knock(token)).toBe(403)
    // Past the door of ours: the engine tells of somebody whom nobody has let in.
    const byHand = await callsByHand(lectern)
    const slipped = await byHand.join(at.roomId, { userId: (await lectern.user()).id })
    await byHand.tell('joined', at.roomId, slipped)
    await byHand.db.destroy()
    expect((await owner.getLiveCall(at)).participants.map(({ name }) => name)).toEqual(['Inside'])
    await engine.left(lectern.url, channelId, there.participantId)
    await later(async () => expect(await refusal(owner.getLiveCall(at))).toEqual([404, 'no_call']))
    expect(await stateOf(early, place)).toBe('waiting')
  })

  test('tells the webhook of who waits, once each and only if it was asked to', async () => {
    const receiver = await startReceiver()
    const place = await openRoom()
    const { spaceId } = place.at
    await lectern.operator.setSpacePlan({ spaceId, plan: 'team' })
    await owner.createWebhook({ spaceId, url: receiver.url })
    expect((await owner.getWebhookEvents({ spaceId })).events).toEqual(['call_started', 'call_finished'])
    await stateOf(await guestOf(place, {}, 'Untold'), place)
    await owner.setWebhookEvents({ spaceId, events: ['participant_waiting'] })
    const guest = await guestOf(place, { externalUserId: 'student42' }, 'Told')
    const { participantId } = await guest.joinRoom(place.at)
    await guest.joinRoom(place.at)
    await owner.testWebhook({ spaceId })
    await later(async () => expect(receiver.callbacks.length).toBeGreaterThan(1))
    await receiver.close()
    expect(receiver.callbacks.map(({ body }) => body).filter(body => body.eventName !== 'webhook_test')).toEqual([
      {
        eventName: 'participant_waiting',
        ...place.at,
        occurredAt: expect.any(String),
        participantId,
        name: 'Told',
        userId: null,
        externalUserId: 'student42',
      },
    ])
  })
})

describe('a locked room', () => {
  test('lets nobody new in but moderators, back who was there, and is open again after the call', async () => {
    const place = await openRoom({})
    const { at, channelId } = place
    const [inside, late] = [await guestOf(place, {}, 'Inside'), await guestOf(place, {}, 'Late')]
    const there = await enter(inside, place, 'tab-of-inside')
    const early = await late.joinRoom(at)
    if (early.state !== 'admitted') throw new Error('it is not locked yet')
    expect((await owner.updateRoom({ ...at, isLocked: true })).isLocked).toBe(true)
    expect(await refusal(late.joinRoom(at, { waitSeconds: 20 }))).toEqual([403, 'room_locked'])
    expect(await refusal(late.getLiveCall(at))).toEqual([403, 'room_locked'])
    expect(await knock(early)).toBe(403)
    expect(await stateOf(owner, place)).toBe('admitted')
    const moderator = await guestOf(place, { role: 'moderator' })
    expect(await stateOf(moderator, place)).toBe('admitted')
    const back = await inside.joinRoom({ ...at, tabKey: 'tab-of-inside' })
    expect(back).toMatchObject({ state: 'admitted', participantId: there.participantId })
    expect(back.state === 'admitted' && (await knock(back))).toBe(200)
    await engine.left(lectern.url, channelId, there.participantId)
    await later(async () => expect((await owner.getRoom(at)).isLocked).toBe(false))
    expect(await stateOf(late, place)).toBe('admitted')
  })

  test('is changed by who may change the room, as the waiting room is', async () => {
    const place = await openRoom({ waitingRoomAudience: 'everyone', isLocked: true })
    const { at } = place
    expect(await owner.getRoom(at)).toMatchObject({ waitingRoomAudience: 'everyone', isLocked: true })
    const user = await lectern.user()
    for (const change of [{ isLocked: false }, { waitingRoomAudience: 'nobody' as const }])
      expect(await refusal(user.updateRoom({ ...at, ...change }))).toEqual([403, 'not_allowed'])
    expect(await refusal(user.joinRoom(at))).toEqual([403, 'room_locked'])
    const unlocked = await owner.updateRoom({ ...at, isLocked: false })
    expect(unlocked).toMatchObject({ waitingRoomAudience: 'everyone', isLocked: false })
    expect(await stateOf(user, place)).toBe('waiting')
  })
})

test('tells moderators by which link somebody came, and whether they could return by it', async () => {
  const place = await openRoom({})
  const { at } = place
  const links = {
    once: {},
    'for many': { isPermanent: true },
    'for one': { isPermanent: true, username: 'Ada' },
  }
  for (const [name, link] of Object.entries(links)) {
    const guest = await guestOf(place, link)
    const { participantId } = await enter(guest, place)
    const { linkId, isForMany } = await owner.getParticipantLink({ ...at, participantId })
    expect([name, isForMany]).toEqual([name, name === 'for many'])
    expect((await owner.listLinks({ ...at, limit: 1 })).items[0]?.id).toBe(linkId)
    expect(await refusal(guest.getParticipantLink({ ...at, participantId }))).toEqual([403, 'not_allowed'])
  }
  const own = await enter(owner, place)
  expect(await owner.getParticipantLink({ ...at, participantId: own.participantId })).toEqual({
    linkId: null,
    isForMany: false,
  })
})
