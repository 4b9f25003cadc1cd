import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Room } from '@livekit/rtc-node'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { readConfig } from '../../../server/config.ts'
import { provideEngine } from '../../../server/media/provision.ts'
import { tokenOf } from '../../support/cast.ts'
import { closeAtTheEnd } from '../../support/closing.ts'
import { refusal, startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, goneFrom, openRoomOf, type Place, untilMedia } from '../../support/live.ts'
import { isLong } from '../../support/long.ts'
import { freePort } from '../../support/ports.ts'
import { temporaryFolder } from '../../support/process.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startRedis } from '../../support/redis.ts'

/* Two real engines on one real Redis, as docs/operating.md configures them. */

const SECRET = 'a secret that is long enough for it'

const createEngine = async (redis: string, eventsUrl: string) => {
  const program = await provideEngine(readConfig({}).cache, () => {}, new AbortController().signal)
  const [port, tcp, udp] = [await freePort(), await freePort(), await freePort()]
  const file = join(temporaryFolder(), 'livekit.yaml')
  const config = {
    port,
    bind_addresses: ['127.0.0.1'],
    redis: { address: redis },
    keys: { lectern: SECRET },
    room: { auto_create: false },
    api: { enable_psrpc_for_get_list_participants: true },
    webhook: { api_key: 'lectern', urls: [eventsUrl] },
    rtc: {
      tcp_port: tcp,
      udp_port: udp,
      node_ip: '127.0.0.1',
      use_external_ip: false,
      enable_loopback_candidate: true,
    },
    logging: { json: true, level: 'warn' },
  }
  writeFileSync(file, JSON.stringify(config))
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const start = async () => {
    child = spawn(program, ['--config', file], { stdio: 'ignore' })
    await vi.waitFor(async () => expect((await fetch(url)).ok).toBe(true), { timeout: 15_000, interval: 100 })
  }
  closeAtTheEnd(kill)
  return { url, start, kill }
}

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

const cluster = async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const redis = await startRedis()
  const port = await freePort()
  const eventsUrl = `http://127.0.0.1:${port}/v1/media/events`
  const [holder, other] = [await createEngine(redis.address, eventsUrl), await createEngine(redis.address, eventsUrl)]
  await holder.start()
  const lectern = await startLectern({
    PORT: String(port),
    LECTERN_MEDIA: 'on',
    LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
    LECTERN_LIVEKIT_URL: `${holder.url},${other.url}`,
    LECTERN_LIVEKIT_API_KEY: 'lectern',
    LECTERN_LIVEKIT_API_SECRET: SECRET,
  })
  await untilMedia(lectern.url, 'ready')
  const owner = await lectern.user('Teacher')
  const { events, secret: _, ...at } = await openRoomOf(owner, receiver)
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', username: 'Ann' }))
  const { guestToken } = await owner.redeemAccess({ accessToken })
  const people = [stayIn(owner, at, 'tab-0001'), stayIn(lectern.withToken(guestToken), at, 'tab-0002')] as const
  onTestFinished(async () => {
    for (const person of people) await person.leave()
  })
  const connections = () => people.flatMap(person => person.others().map(({ sid }) => sid))
  /** By other connections than those before. */
  const untilTogether = (before: (string | undefined)[], timeout: number) =>
    vi.waitFor(
      () => {
        expect(people.map(person => person.others().map(({ name }) => name))).toEqual([['Ann'], ['Teacher']])
        for (const sid of connections()) expect(before).not.toContain(sid)
      },
      { timeout, interval: 50 },
    )
  await untilTogether([], 20_000)
  const inside = async () => (await owner.getCall(at)).participants.map(({ name }) => name).sort()
  const untilListed = () =>
    vi.waitFor(async () => expect(await inside()).toEqual(['Ann', 'Teacher']), { timeout: 20_000, interval: 100 })
  await untilListed()
  const { id: callId } = await owner.getCall(at)
  // All that is there is with the first, which was alone until now.
  await other.start()
  return { lectern, redis, holder, owner, at, people, connections, untilTogether, untilListed, callId, events }
}

test(
  'the node that holds the call is killed: all are together again within 15 s, in the same call',
  async () => {
    const { holder, owner, at, connections, untilTogether, untilListed, callId, events } = await cluster()
    const before = connections()
    await holder.kill()
    const killedAt = performance.now()
    await untilTogether(before, 15_000)
    console.log(`together again after ${Math.round(performance.now() - killedAt)} ms`)
    await untilListed()
    expect((await owner.getCall(at)).id).toBe(callId)
    expect(events()).toEqual([{ eventName: 'call_started', callId }])
  },
  ENGINE_WITHIN_MS,
)

test(
  'nobody comes back after the node was killed: the call ends once, and nobody is left in it',
  async () => {
    const { lectern, holder, owner, at, people, callId, events } = await cluster()
    await holder.kill()
    for (const person of people) await person.leave()
    await vi.waitFor(
      () => {
        lectern.advance(1000)
        expect(events()).toEqual([
          { eventName: 'call_started', callId },
          { eventName: 'call_finished', callId },
        ])
      },
      { timeout: 60_000, interval: 200 },
    )
    expect(await refusal(owner.getCall(at))).toEqual([404, 'no_call'])
    const { items } = await owner.getAttendance({ ...at, callId })
    expect(items.flatMap(({ stays }) => stays).filter(({ leftAt }) => leftAt === null)).toEqual([])
  },
  ENGINE_WITHIN_MS,
)

const REDIS_AWAY_MS = isLong ? 60_000 : 10_000

test(
  `Redis is away for ${REDIS_AWAY_MS / 1000} s: all but joining works, and calls do again afterwards`,
  async () => {
    const { lectern, redis, owner, at, connections, untilTogether } = await cluster()
    const before = connections()
    await redis.stop()
    const until = performance.now() + REDIS_AWAY_MS
    const { id: roomId } = await owner.createRooms({ spaceId: at.spaceId, name: 'Another' })
    while (performance.now() < until) {
      expect((await lectern.request('GET', '/readyz')).status).toBe(200)
      await owner.getRoom(at)
      expect(await refusal(owner.joinRoom({ spaceId: at.spaceId, roomId }))).toEqual([503, 'media_starting'])
    }
    await untilMedia(lectern.url, 'unavailable')
    await redis.start()
    await untilMedia(lectern.url, 'ready', 30_000)
    // Redis has forgotten everything: who is cut off joins again.
    await owner.joinRoom({ spaceId: at.spaceId, roomId })
    await untilTogether(isLong ? before : [], 60_000)
  },
  ENGINE_WITHIN_MS,
)
