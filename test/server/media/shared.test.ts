import { randomUUID } from 'node:crypto'
import { Room } from '@livekit/rtc-node'
import { AccessToken, RoomServiceClient } from 'livekit-server-sdk'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type EngineAccess, readAccess } from '../../../server/media/launch.ts'
import { createLiveKit } from '../../../server/media/livekit.ts'
import { admitted } from '../../support/admitted.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, goneFrom, type Place, untilMedia } from '../../support/live.ts'

/* One real engine, and others on it than Lectern alone. */

/** What an installation hears from the engine and tells it, from now on. */
const watch = (installation: Lectern) => {
  const engine = installation.engine()
  const list = vi.spyOn(engine, 'list')
  const readEvent = vi.spyOn(engine, 'readEvent')
  const [close, ...others] = [
    vi.spyOn(engine, 'close'),
    vi.spyOn(engine, 'setRights'),
    vi.spyOn(engine, 'remove'),
  ] as const
  return {
    close,
    listings: () => list.mock.calls.length,
    heardOf: () =>
      readEvent.mock.settledResults.flatMap(({ type, value: event }) =>
        type === 'fulfilled' && event?.kind === 'joined' ? [event.channelId] : [],
      ),
    touched: () => [close, ...others].flatMap(({ mock }) => mock.calls.map(([channelId]) => channelId)),
  }
}
type Watched = ReturnType<typeof watch>

let lectern: Lectern
let owner: Person
let access: EngineAccess
let engine: RoomServiceClient
let own: Watched

beforeAll(async () => {
  lectern = await startLectern({ LECTERN_MEDIA: 'on' })
  owner = await lectern.user()
  await untilMedia(lectern.url, 'ready', ENGINE_WITHIN_MS)
  access = readAccess(lectern.config.data) as EngineAccess
  engine = new RoomServiceClient(access.url, access.apiKey, access.apiSecret)
  own = watch(lectern)
}, ENGINE_WITHIN_MS + 60_000)

const openRoom = async (person: Person) => {
  const { id: spaceId } = await person.createSpaces({ name: 'Space' })
  const { id: roomId } = await person.createRooms({ spaceId, name: 'Room' })
  const { channelId } = await person.getRoom({ spaceId, roomId })
  return { at: { spaceId, roomId }, channelId }
}

const connect = async (token: string) => {
  const room = new Room()
  await room.connect(access.url.replace(/^http/, 'ws'), token, { autoSubscribe: true, dynacast: false })
  onTestFinished(() => room.disconnect())
  return room
}

/** Until all of it has been compared by the given installation, whoever just came included. */
const untilCompared = async (installation: Lectern, watched: Watched) => {
  const before = watched.listings()
  await vi.waitFor(
    () => {
      // Past the time between two reconciliations, and past that in which events may arrive late.
      installation.advance(31_000)
      // The third begins when the second is through.
      expect(watched.listings()).toBeGreaterThan(before + 2)
    },
    { timeout: 20_000, interval: 300 },
  )
}

const untilInside = (person: Person, at: Place) =>
  vi.waitFor(async () => expect((await person.getLiveCall(at)).participants).toHaveLength(1), { timeout: 15_000 })

test('another application’s room is left alone', async () => {
  const name = `another application ${randomUUID()}`
  await engine.createRoom({ name })
  const token = new AccessToken(access.apiKey, access.apiSecret, { identity: 'someone' })
  token.addGrant({ roomJoin: true, room: name })
  const room = await connect(await token.toJwt())
  await vi.waitFor(() => expect(own.heardOf()).toContain(name), { timeout: 10_000 })
  await untilCompared(lectern, own)
  expect(own.touched()).not.toContain(name)
  expect(room.isConnected).toBe(true)
  expect(await engine.listParticipants(name)).toHaveLength(1)
})

test('two installations leave each other’s calls alone, whichever of them gets the event', async () => {
  const { at, channelId } = await openRoom(owner)
  const first = await enter(owner, at)
  await untilInside(owner, at)

  const other = await startLectern({
    LECTERN_MEDIA: 'on',
    LECTERN_LIVEKIT_URL: access.url,
    LECTERN_LIVEKIT_API_KEY: access.apiKey,
    LECTERN_LIVEKIT_API_SECRET: access.apiSecret,
  })
  await untilMedia(other.url, 'ready')
  const others = watch(other)
  await untilCompared(other, others)
  expect(others.touched()).not.toContain(channelId)

  // The engine tells the first alone: the other finds out by comparing.
  const teacher = await other.user()
  const there = await openRoom(teacher)
  const second = await enter(teacher, there.at)
  await vi.waitFor(() => expect(own.heardOf()).toContain(there.channelId), { timeout: 10_000 })
  await untilCompared(lectern, own)
  expect(own.touched()).not.toContain(there.channelId)
  await untilCompared(other, others)
  await untilInside(teacher, there.at)
  await untilInside(owner, at)
  expect([first.room.isConnected, second.room.isConnected]).toEqual([true, true])
})

test('a space that was deleted is still ours to empty, also when that failed at first', async () => {
  const { at, channelId } = await openRoom(owner)
  const { room } = await enter(owner, at)
  await untilInside(owner, at)
  const gone = goneFrom(room)
  own.close.mockRejectedValueOnce(new Error('the engine does not answer'))
  await owner.deleteSpace(at)
  await vi.waitFor(() => expect(own.close).toHaveBeenCalledWith(channelId), { timeout: 5000 })
  await untilCompared(lectern, own)
  await gone
})

test('so is a room that was deleted before anyone had come, for whoever was on the way', async () => {
  const { at, channelId } = await openRoom(owner)
  const { mediaToken } = admitted(await owner.joinRoom(at))
  await owner.deleteRoom(at)
  // As one whom we had let through just before.
  const room = await connect(mediaToken)
  await vi.waitFor(() => expect(room.isConnected).toBe(false), { timeout: 10_000 })
  expect(own.touched()).toContain(channelId)
})

test.each([
  ['an hour behind', -3_600_000],
  ['an hour ahead', 3_600_000],
])('a node whose own clock is %s asks and connects by the clock of all', async (_, off) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + off })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const began = [performance.now(), Date.now() - off] as const
  const control = createLiveKit({
    urls: () => [access.url],
    apiKey: access.apiKey,
    apiSecret: access.apiSecret,
    now: () => Math.floor(began[1] + performance.now() - began[0]),
  })
  const [channelId, participantId] = [randomUUID(), randomUUID()]
  const rights = { camera: false, microphone: false, screen: false }
  const token = await control.createToken(channelId, { participantId, name: 'Ada', rights, ticket: null })
  expect(await control.readToken(token)).toMatchObject({ channelId, participantId })
  await connect(token)
  expect((await control.listIn(channelId)).map(({ participantId }) => participantId)).toEqual([participantId])
})
