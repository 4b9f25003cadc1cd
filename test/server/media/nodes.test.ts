import { beforeEach, expect, test, vi } from 'vitest'
import { admitted } from '../../support/admitted.ts'
import { createRooms, settingsFor, startEngineNode, tell } from '../../support/engine.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'
import { knock, type Place, untilMedia } from '../../support/live.ts'
import { dial, upgradeRequest } from '../../support/sockets.ts'

/* Engines of several nodes, which come and go as the test says: cluster.test.ts has real ones. */

let rooms: ReturnType<typeof createRooms>
let first: Awaited<ReturnType<typeof startEngineNode>>
let second: typeof first
beforeEach(async () => {
  rooms = createRooms()
  first = await startEngineNode(rooms)
  second = await startEngineNode(rooms)
})

const start = async () => {
  const lectern = await startLectern({ ...settingsFor(first, second), LECTERN_CALL_GRACE: '0' })
  await untilMedia(lectern.url, 'ready')
  return { lectern, owner: await lectern.user() }
}

const openRoom = async (owner: Person): Promise<Place> => {
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  return { spaceId, roomId: (await owner.createRooms({ spaceId, name: 'Room' })).id }
}

/** The first line of what is answered to who would like to connect. */
const connect = async (lectern: Lectern, mediaToken: string) => {
  const socket = await dial(lectern.url)
  socket.write(upgradeRequest(`/media/rtc?protocol=15&access_token=${mediaToken}`))
  return (await new Promise<Buffer>(resolve => socket.once('data', resolve))).toString().split('\r\n')[0]
}

/** Someone who has been in a call for a minute, as far as the engine knows. */
const openCall = async (lectern: Lectern, owner: Person) => {
  const at = await openRoom(owner)
  const { participantId } = await knock(owner, at)
  const { channelId } = await owner.getRoom(at)
  const seconds = Math.floor(Date.now() / 1000)
  const participant = {
    identity: participantId,
    sid: `PA_${participantId}`,
    state: 'ACTIVE' as const,
    joinedAt: String(seconds - 60),
  }
  rooms.participants.set(channelId, [participant])
  await tell(lectern, {
    event: 'participant_joined',
    id: `EV_${participantId}`,
    createdAt: String(seconds),
    room: { name: channelId },
    participant,
  })
  return { at, channelId, isGoingOn: async () => (await owner.listCalls(at)).items[0]?.endedAt === null }
}

const expectConnected = async (lectern: Lectern, owner: Person) => {
  // A room of its own each: the engine is asked for every one.
  const { mediaToken } = await knock(owner, await openRoom(owner))
  expect(await connect(lectern, mediaToken)).toBe('HTTP/1.1 101 Switching Protocols')
}

test('a node that is away is passed over, from the start and before that is known', async () => {
  await first.stop()
  const { lectern, owner } = await start()
  for (let time = 1; time <= 3; time++) await expectConnected(lectern, owner)
  expect(second.connections).toHaveLength(3)

  await first.start()
  await vi.waitFor(
    async () => {
      await expectConnected(lectern, owner)
      expect(first.connections).not.toEqual([])
    },
    { timeout: 10_000 },
  )
  await second.stop()
  for (let time = 1; time <= 3; time++) await expectConnected(lectern, owner)
})

test('all answer: connections are shared out', async () => {
  const { lectern, owner } = await start()
  const at = await openRoom(owner)
  for (let time = 1; time <= 6; time++) await connect(lectern, admitted(await owner.joinRoom(at)).mediaToken)
  expect(first.connections.length).toBeGreaterThan(0)
  expect(second.connections.length).toBeGreaterThan(0)
})

test('none answers: nobody can join, and calls end after half a minute; later all is well by itself', async () => {
  const { lectern, owner } = await start()
  const { at, isGoingOn } = await openCall(lectern, owner)
  const { mediaToken } = admitted(await owner.joinRoom(at))
  await Promise.all([first.stop(), second.stop()])
  expect(await refusal(owner.joinRoom(await openRoom(owner)))).toEqual([503, 'media_starting'])
  expect(await connect(lectern, mediaToken)).toMatch(/^HTTP\/1.1 50[23] /)
  await untilMedia(lectern.url, 'unavailable')
  expect(await refusal(owner.joinRoom(at))).toEqual([503, 'media_starting'])
  // Looked at since then, and waited for.
  lectern.advance(20_000)
  await untilMedia(lectern.url, 'unavailable')
  expect(await isGoingOn()).toBe(true)
  await vi.waitFor(
    async () => {
      lectern.advance(5000)
      expect(await isGoingOn()).toBe(false)
    },
    { timeout: 15_000, interval: 200 },
  )
  await second.start()
  await untilMedia(lectern.url, 'ready')
  await owner.joinRoom(at)
})

/** Whom no room of ours knows. */
const addStranger = (channelId: string) =>
  rooms.participants
    .get(channelId)
    ?.push({ identity: 'stranger', sid: `PA_${channelId}`, state: 'ACTIVE', joinedAt: '1' })

test('a room that the engine fails for is its own trouble, and empty after half a minute of that', async () => {
  const { lectern, owner } = await start()
  const [ghost, stuck, other] = [
    await openCall(lectern, owner),
    await openCall(lectern, owner),
    await openCall(lectern, owner),
  ]
  const insideOf = ({ channelId }: typeof stuck) => rooms.participants.get(channelId)
  for (const { channelId } of [stuck, other]) addStranger(channelId)
  rooms.lost.add(ghost.channelId)
  rooms.stuck.add(stuck.channelId)
  lectern.advance(31_000)
  await vi.waitFor(() => expect(insideOf(other)).toHaveLength(1), { timeout: 10_000 })
  expect(insideOf(stuck)).toHaveLength(2)

  // It was only for a while: whoever is there has never left.
  rooms.lost.clear()
  rooms.stuck.clear()
  lectern.advance(31_000)
  await vi.waitFor(() => expect(insideOf(stuck)).toHaveLength(1), { timeout: 10_000 })
  expect(await ghost.isGoingOn()).toBe(true)

  rooms.lost.add(ghost.channelId)
  await vi.waitFor(
    async () => {
      lectern.advance(5000)
      expect(await ghost.isGoingOn()).toBe(false)
    },
    { timeout: 15_000, interval: 100 },
  )
})
