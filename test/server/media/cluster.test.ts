import { randomUUID } from 'node:crypto'
import type { Room } from '@livekit/rtc-node'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { tokenOf } from '../../support/cast.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, goneFrom, openRoomOf, type Place, untilMedia } from '../../support/live.ts'
import { createLivekit, livekitKey } from '../../support/livekit.ts'
import { isLong } from '../../support/long.ts'
import { freePort } from '../../support/ports.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startRedis } from '../../support/redis.ts'

/* Two real engines on one real Redis. */

/** Whoever is cut off asks to join again until that works, as the room page does. */
const stayIn = (client: Client, at: Place, tabKey: string) => {
  let room: Room | undefined
  let isLeaving = false
  const join = async (): Promise<void> => {
    while (!isLeaving)
      try {
        const entered = await enter(client, at, tabKey)
        room = entered.room
        goneFrom(room).then(() => join())
        return
      } catch {
        await new Promise(resolve => setTimeout(resolve, 300))
      }
  }
  return {
    joined: join(),
    /** The others this one sees now. */
    others: () => (room?.isConnected ? [...room.remoteParticipants.values()] : []),
    async leave() {
      isLeaving = true
      await room?.disconnect()
    },
  }
}

let lectern: Lectern
let redis: Awaited<ReturnType<typeof startRedis>>
/** The one node that runs between the tests, and the one that does not. */
let [holder, spare]: Awaited<ReturnType<typeof createLivekit>>[] = []

beforeAll(async () => {
  redis = await startRedis()
  const port = await freePort()
  const eventsUrl = `http://127.0.0.1:${port}/v1/media/events`
  holder = await createLivekit(redis.address, eventsUrl)
  spare = await createLivekit(redis.address, eventsUrl)
  await holder.start()
  lectern = await startLectern({
    PORT: String(port),
    LECTERN_MEDIA: 'on',
    LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
    LECTERN_LIVEKIT_URL: `${holder.url},${spare.url}`,
    ...livekitKey,
  })
  await untilMedia(lectern.url, 'ready')
}, ENGINE_WITHIN_MS)

const callOfTwo = async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const teacher = `teacher-${randomUUID().slice(0, 8)}`
  const owner = await lectern.user(teacher)
  const { events, secret: _, ...at } = await openRoomOf(owner, receiver)
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', username: 'Ann' }))
  const { guestToken } = await owner.redeemAccess({ accessToken })
  const people = [stayIn(owner, at, 'tab-0001'), stayIn(lectern.withToken(guestToken), at, 'tab-0002')] as const
  const leave = () => Promise.all(people.map(person => person.leave()))
  onTestFinished(async () => void (await leave()))
  const connections = () => people.flatMap(person => person.others().map(({ sid }) => sid))
  /** By other connections than those before. */
  const untilTogether = (before: (string | undefined)[], timeout: number) =>
    vi.waitFor(
      () => {
        expect(people.map(person => person.others().map(({ name }) => name))).toEqual([['Ann'], [teacher]])
        for (const sid of connections()) expect(before).not.toContain(sid)
      },
      { timeout, interval: 50 },
    )
  await untilTogether([], 20_000)
  const inside = async () => (await owner.getLiveCall(at)).participants.map(({ name }) => name).sort()
  const untilListed = () =>
    vi.waitFor(async () => expect(await inside()).toEqual(['Ann', teacher]), { timeout: 20_000, interval: 100 })
  await untilListed()
  const { id: callId } = await owner.getLiveCall(at)
  return { owner, at, leave, connections, untilTogether, untilListed, callId, events }
}

/** The other one runs by then, and is the holder from now on. */
const killHolder = async () => {
  await spare?.start()
  await holder?.kill()
  ;[holder, spare] = [spare, holder]
}

test('the node that holds the call is killed: all are together again within 15 s, in the same call', async () => {
  const { owner, at, connections, untilTogether, untilListed, callId, events } = await callOfTwo()
  const before = connections()
  await killHolder()
  await untilTogether(before, 15_000)
  await untilListed()
  expect((await owner.getLiveCall(at)).id).toBe(callId)
  expect(events()).toEqual([{ eventName: 'call_started', callId }])
}, 60_000)

const REDIS_AWAY_MS = 60_000

test.runIf(isLong)(
  'Redis is away for a minute: all but joining works, and calls do again afterwards',
  async () => {
    const { owner, at, connections, untilTogether } = await callOfTwo()
    const before = connections()
    await redis.stop()
    const until = performance.now() + REDIS_AWAY_MS
    const { id: roomId } = await owner.createRooms({ spaceId: at.spaceId, name: 'Another' })
    do {
      expect((await lectern.request('GET', '/readyz')).status).toBe(200)
      await owner.getRoom(at)
      expect(await refusal(owner.joinRoom({ spaceId: at.spaceId, roomId }))).toEqual([503, 'media_starting'])
    } while (performance.now() < until)
    await untilMedia(lectern.url, 'unavailable')
    await redis.start()
    // Redis has forgotten everything: who is cut off joins again.
    await vi.waitFor(() => owner.joinRoom({ spaceId: at.spaceId, roomId }), { timeout: 30_000, interval: 100 })
    await untilTogether(before, 60_000)
  },
  180_000,
)

// nodes.test.ts has the same with nodes that only look like engines, in less time.
test.runIf(isLong)(
  'nobody comes back after the node was killed: the call ends once, and nobody is left in it',
  async () => {
    const { owner, at, leave, callId, events } = await callOfTwo()
    await killHolder()
    await leave()
    await vi.waitFor(
      () => {
        lectern.advance(5000)
        expect(events()).toEqual([
          { eventName: 'call_started', callId },
          { eventName: 'call_finished', callId },
        ])
      },
      { timeout: 60_000, interval: 200 },
    )
    expect(await refusal(owner.getLiveCall(at))).toEqual([404, 'no_call'])
    const { items } = await owner.getAttendance({ ...at, callId })
    expect(items.flatMap(({ stays }) => stays).filter(({ leftAt }) => leftAt === null)).toEqual([])
  },
  90_000,
)
