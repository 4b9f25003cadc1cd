import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { admitted } from '../../support/admitted.ts'
import { tokenOf } from '../../support/cast.ts'
import { createRooms, freshToken, settingsFor, startEngineNode, tell } from '../../support/engine.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'
import { type Place, untilMedia } from '../../support/live.ts'

/* One person in a call through several tabs, devices and links. The engine is the test's own, and told of by hand. */

let lectern: Lectern
let owner: Person
let spaceId: string
const rooms = createRooms()

beforeAll(async () => {
  lectern = await startLectern(settingsFor(await startEngineNode(rooms)))
  owner = await lectern.user()
  spaceId = (await owner.createSpaces({ name: 'Space', isPublic: true })).id
  await untilMedia(lectern.url, 'ready')
})

const channels = new Map<string, string>()
const channelOf = ({ roomId }: Place) => channels.get(roomId) ?? ''

const openRoom = async (draft: { type?: 'webinar'; isFloorAllowed?: boolean } = {}): Promise<Place> => {
  const { id: roomId, channelId } = await owner.createRooms({ spaceId, name: 'Room', isPublic: true, ...draft })
  channels.set(roomId, channelId)
  return { spaceId, roomId }
}

const guestOf = async (at: Place, link: { username?: string; externalUserId?: string } = {}) => {
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', isPermanent: true, ...link }))
  const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken, participantName: 'Guest' })
  return lectern.withToken(guestToken)
}

interface Coming {
  tabKey: string
  presence?: 'ask' | 'switch' | 'beside'
}
type Joined = Awaited<ReturnType<typeof join>>

const join = async (person: Client, at: Place, coming: Coming) => admitted(await person.joinRoom({ ...at, ...coming }))

let connections = 0

/** The status that connecting is answered with; 200: the engine would be asked now. */
const knock = async (mediaToken: string) =>
  (await fetch(`${lectern.url}/media/rtc/validate?access_token=${mediaToken}`)).status

const occurred = (event: string, name: string, participant: object) =>
  tell(lectern, {
    event,
    id: `EV_${name}_${++connections}`,
    createdAt: String(Math.floor(Date.now() / 1000)),
    room: { name },
    participant,
  })

const inEngine = (at: Place) => rooms.participants.get(channelOf(at)) ?? []

/** Connects with a media token, and is in the call. */
const arrive = async (at: Place, { participantId, mediaToken }: Pick<Joined, 'participantId' | 'mediaToken'>) => {
  expect(await knock(mediaToken)).toBe(200)
  const joinedAt = String(Math.floor(Date.now() / 1000))
  const participant = { identity: participantId, sid: `PA_${++connections}`, state: 'ACTIVE' as const, joinedAt }
  rooms.participants.set(channelOf(at), [
    ...inEngine(at).filter(({ identity }) => identity !== participantId),
    participant,
  ])
  await occurred('participant_joined', channelOf(at), participant)
  return {
    participantId,
    async leave() {
      rooms.participants.set(
        channelOf(at),
        inEngine(at).filter(({ sid }) => sid !== participant.sid),
      )
      await occurred('participant_left', channelOf(at), participant)
    },
  }
}

const enter = async (person: Client, at: Place, coming: Coming) => arrive(at, await join(person, at, coming))

const connected = (at: Place) => inEngine(at).map(({ identity }) => identity)
const untilConnected = (at: Place, ...ids: string[]) =>
  vi.waitFor(() => expect(connected(at)).toEqual(ids), { timeout: 5000 })

const already = [409, 'already_in_call']
const ask = (tabKey: string) => ({ tabKey, presence: 'ask' as const })

describe('asking', () => {
  test('tells who is in the call in another tab, and not who comes back in the same', async () => {
    const at = await openRoom()
    const user = await lectern.user()
    const first = await enter(user, at, ask('tab-0001'))
    expect(await refusal(join(user, at, ask('tab-0002')))).toEqual(already)
    expect(await refusal(user.joinRoom({ ...at, presence: 'ask' }))).toEqual(already)
    // While the old connection is still there, and once it is gone.
    expect((await join(user, at, ask('tab-0001'))).participantId).toBe(first.participantId)
    await join(await lectern.user(), at, ask('tab-0002'))
    await first.leave()
    const again = await join(user, at, ask('tab-0001'))
    expect(again.participantId).toBe(first.participantId)
    await arrive(at, again)
    expect(await refusal(join(user, at, ask('tab-0002')))).toEqual(already)
  })

  test('knows a guest by who they are in another system, whichever link, and else by the guest', async () => {
    const at = await openRoom()
    const pupil = { externalUserId: 'pupil7' }
    await enter(await guestOf(at, pupil), at, ask('tab-0001'))
    const another = await guestOf(at, pupil)
    expect(await refusal(join(another, at, ask('tab-0002')))).toEqual(already)
    // The same tab, reloaded with another link.
    await join(another, at, ask('tab-0001'))
    await join(await guestOf(at, { externalUserId: 'pupil8' }), at, ask('tab-0002'))

    const guest = await guestOf(at)
    await enter(guest, at, ask('tab-0003'))
    expect(await refusal(join(guest, at, ask('tab-0004')))).toEqual(already)
    await join(await guestOf(at), at, ask('tab-0004'))
  })

  test('is over with the call', async () => {
    const at = await openRoom()
    await enter(owner, at, ask('tab-0001'))
    await owner.endCall(at)
    await join(owner, at, ask('tab-0002'))
  })

  test('in two tabs at once leaves the person in the call through one', async () => {
    const user = await lectern.user()
    for (let round = 0; round < 5; round++) {
      const at = await openRoom()
      const both = await Promise.all([join(user, at, ask('tab-0001')), join(user, at, ask('tab-0002'))])
      await Promise.all(both.map(joined => arrive(at, joined)))
      await vi.waitFor(() => expect(connected(at)).toHaveLength(1), { timeout: 5000 })
      const [left] = connected(at)
      expect(await knock(await freshToken(left ?? '', channelOf(at)))).toBe(200)
      const gone = both.find(({ participantId }) => participantId !== left)
      expect(await knock(await freshToken(gone?.participantId ?? '', channelOf(at)))).toBe(403)
    }
  })
})

describe('switching', () => {
  test('by one who connects while another arrives ends with the last who arrives', async () => {
    const at = await openRoom()
    const user = await lectern.user()
    const [first, second] = [
      await join(user, at, ask('tab-0001')),
      await join(user, at, { tabKey: 'tab-0002', presence: 'switch' }),
    ]
    expect(await knock(second.mediaToken)).toBe(200)
    await arrive(at, first)
    expect(connected(at)).toEqual([first.participantId])
    await arrive(at, second)
    await untilConnected(at, second.participantId)
  })

  test('moves the hand and the floor along, and disconnects the other', async () => {
    const at = await openRoom({ type: 'webinar', isFloorAllowed: true })
    const user = await lectern.user()
    await enter(owner, at, { tabKey: 'tab-0000' })
    const first = await enter(user, at, ask('tab-0001'))
    await owner.setFloor({ ...at, participantId: first.participantId, onAir: true })
    await user.setHand({ ...at, raised: true })
    const seen = async (id: string) =>
      (await owner.getLiveCall(at)).participants.find(({ participantId }) => participantId === id)
    const { handRaisedAt } = (await seen(first.participantId)) ?? {}
    const second = await enter(user, at, { tabKey: 'tab-0002', presence: 'switch' })
    expect(await seen(second.participantId)).toMatchObject({ handRaisedAt, hasFloor: true })
    await vi.waitFor(() => expect(connected(at)).not.toContain(first.participantId), { timeout: 5000 })
    // The engine is told of the floor too.
    await vi.waitFor(
      () =>
        expect(inEngine(at).find(({ identity }) => identity === second.participantId)?.permission).toMatchObject({
          canPublish: true,
        }),
      { timeout: 5000 },
    )
    expect(await seen(first.participantId)).toMatchObject({ handRaisedAt: null, hasFloor: false })
  })

  test('disconnects nobody before the new one is in the call', async () => {
    const at = await openRoom()
    const user = await lectern.user()
    const first = await enter(user, at, ask('tab-0001'))
    const { mediaToken } = await join(user, at, { tabKey: 'tab-0002', presence: 'switch' })
    expect(await knock(mediaToken)).toBe(200)
    expect(await knock(await freshToken(first.participantId, channelOf(at)))).toBe(200)
    expect(connected(at)).toEqual([first.participantId])
    await join(user, at, ask('tab-0001'))
  })

  test('keeps out the other while it reconnects, until it switches back', async () => {
    const at = await openRoom()
    const user = await lectern.user()
    const joined = await join(user, at, ask('tab-0001'))
    const first = await arrive(at, joined)
    await first.leave()
    const second = await enter(user, at, { tabKey: 'tab-0002', presence: 'switch' })
    const token = await freshToken(first.participantId, channelOf(at))
    expect(await knock(token)).toBe(403)
    // Nor with the token it once joined with.
    expect(await knock(joined.mediaToken)).toBe(403)
    expect(await refusal(join(user, at, ask('tab-0001')))).toEqual(already)
    const back = await enter(user, at, { tabKey: 'tab-0001', presence: 'switch' })
    expect(back.participantId).toBe(first.participantId)
    expect(await knock(token)).toBe(200)
    await untilConnected(at, first.participantId)
    expect(await knock(await freshToken(second.participantId, channelOf(at)))).toBe(403)
  })

  test('both ways at once leaves the person in the call through one', async () => {
    const at = await openRoom()
    const user = await lectern.user()
    await Promise.all(['tab-0001', 'tab-0002'].map(tabKey => enter(user, at, { tabKey })))
    for (let round = 0; round < 5; round++) {
      const both = await Promise.all(
        ['tab-0001', 'tab-0002'].map(tabKey => join(user, at, { tabKey, presence: 'switch' })),
      )
      // Whoever knocks after the other has come in is refused, and would have to ask again.
      for (const { mediaToken } of both) expect(await knock(mediaToken)).toBe(200)
      await Promise.all(both.map(joined => arrive(at, joined)))
      await vi.waitFor(() => expect(connected(at)).toHaveLength(1), { timeout: 5000 })
      expect(await knock(await freshToken(connected(at)[0] ?? '', channelOf(at)))).toBe(200)
    }
  })

  test('is done also where the engine could not be told at once', async () => {
    const at = await openRoom()
    const user = await lectern.user()
    const first = await enter(user, at, ask('tab-0001'))
    rooms.stuck.add(channelOf(at))
    const second = await enter(user, at, { tabKey: 'tab-0002', presence: 'switch' })
    expect(connected(at)).toEqual([first.participantId, second.participantId])
    rooms.stuck.delete(channelOf(at))
    lectern.advance(31_000)
    await vi.waitFor(() => expect(connected(at)).toEqual([second.participantId]), { timeout: 10_000 })
  })
})

test('beside each other both stay, whichever comes back and however', async () => {
  const at = await openRoom()
  const user = await lectern.user()
  const first = await enter(user, at, ask('tab-0001'))
  const second = await enter(user, at, { tabKey: 'tab-0002', presence: 'beside' })
  await first.leave()
  await enter(user, at, ask('tab-0001'))
  await second.leave()
  await enter(user, at, ask('tab-0002'))
  // By itself, with the engine's own token.
  await arrive(at, { ...first, mediaToken: await freshToken(first.participantId, channelOf(at)) })
  await enter(user, at, { tabKey: 'tab-0003' })
  const ids = (await owner.getLiveCall(at)).participants.map(({ participantId }) => participantId)
  expect(new Set(ids)).toEqual(new Set(connected(at)))
  expect(connected(at)).toHaveLength(3)
})

test('the name typed at the door counts, whatever it was in the call before', async () => {
  const at = await openRoom()
  const guest = await guestOf(at)
  await enter(guest, at, { tabKey: 'tab-0001' })
  await guest.setCallName({ ...at, name: 'Bob' })
  const { alias } = await owner.getRoom(at)
  // Told before they join.
  expect(await guest.getRoomByAlias({ alias })).toMatchObject({ name: 'Bob', isRenamingAllowed: true })
  expect(await join(guest, at, { tabKey: 'tab-0001' })).toMatchObject({ name: 'Bob' })
  await guest.renameGuest({ ...at, participantName: 'Robert' })
  expect(await join(guest, at, { tabKey: 'tab-0001' })).toMatchObject({ name: 'Robert' })
})

describe('who was removed', () => {
  test('is kept out by every link for the same externalUserId, until that is lifted', async () => {
    const at = await openRoom()
    const pupil = { username: 'Ann', externalUserId: 'pupil7' }
    const guest = await guestOf(at, pupil)
    const { participantId } = await enter(guest, at, { tabKey: 'tab-0001' })
    const beside = await guestOf(at, pupil)
    await enter(beside, at, { tabKey: 'tab-0002' })
    await owner.removeParticipant({ ...at, participantId })
    await vi.waitFor(() => expect(connected(at)).toEqual([]), { timeout: 5000 })
    const removed = [403, 'removed']
    const later = await guestOf(at, { ...pupil, username: 'Anna' })
    for (const one of [guest, beside, later]) expect(await refusal(join(one, at, ask('tab-0003')))).toEqual(removed)
    const elsewhere = await openRoom()
    await join(await guestOf(elsewhere, pupil), elsewhere, ask('tab-0003'))
    await join(await guestOf(at, { externalUserId: 'pupil8' }), at, ask('tab-0003'))

    const [ban, ...others] = (await owner.listBans(at)).items
    expect(others).toEqual([])
    await owner.liftBan({ ...at, banId: ban?.id ?? '' })
    for (const one of [guest, beside, later]) await join(one, at, { tabKey: 'tab-0004' })
  })
})
