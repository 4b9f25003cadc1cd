import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RoomServiceClient } from 'livekit-server-sdk'
import { beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from '../../client/client.ts'
import { tokenOf } from '../support/cast.ts'
import { closeAtTheEnd } from '../support/closing.ts'
import { until } from '../support/events.ts'
import { ENGINE_WITHIN_MS, enter } from '../support/live.ts'
import { isLong } from '../support/long.ts'
import { freePorts } from '../support/ports.ts'
import { launchProgram, temporaryFolder } from '../support/process.ts'

/* The three commands of docs/operating.md. The first two are what `npm test` itself begins with. */

const RATE = isLong ? 200 : 50
const ROUNDS = isLong ? 500 : 10
const LONG_MS = 300_000

const page = readFileSync('docs/operating.md', 'utf8')
const [, commands = ''] = /To see it on one\nmachine[^`]*```sh\n([^`]*)```/.exec(page) ?? []

const startCluster = async () => {
  const [packages, install, run = ''] = commands.trim().split('\n')
  expect([packages, install]).toEqual(['apt-get install -y postgresql redis-server nginx', 'npm ci'])
  const folder = temporaryFolder()
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755)
  const first = await freePorts(11)
  const settings = { PORT: String(first), LECTERN_DATA: folder, LECTERN_DRAIN_SECONDS: '1' }
  const cluster = launchProgram('sh', ['-c', `exec ${run}`], settings, { detached: true })
  // It ends its programs itself, which are in groups of their own.
  closeAtTheEnd(async () => {
    cluster.child.kill('SIGTERM')
    await cluster.ended
  })
  await until(() => expect(cluster.output.stdout).toContain('Two nodes serve'), 60_000)
  const said = (pattern: RegExp) => [...cluster.output.stdout.matchAll(pattern)].map(([, found = '']) => found)
  return {
    ...cluster,
    nodes: [1, 2].map(number => `http://localhost:${first + number}`),
    engine: new RoomServiceClient(
      `http://127.0.0.1:${first + 5}`,
      'lectern',
      readFileSync(join(folder, 'livekit.secret'), 'utf8'),
    ),
    url: said(/Two nodes serve (\S+)\./g)[0] ?? '',
    password: said(/password +(\S+)/g)[0] ?? '',
    /** The process it is now. */
    node: (number: number) => Number(said(new RegExp(`Node ${number} is process (\\d+)`, 'g')).at(-1)),
    ready: () => said(/(Lectern is ready)/g).length,
  }
}

/** So many requests a second, until it is stopped. Gives the answers that were none. */
const load = (ask: () => Promise<unknown>) => {
  const failures: unknown[] = []
  const asking: Promise<unknown>[] = []
  const timer = setInterval(() => asking.push(ask().catch(error => failures.push(error))), 1000 / RATE)
  return async () => {
    clearInterval(timer)
    await Promise.all(asking)
    return { asked: asking.length, failures }
  }
}

let cluster: Awaited<ReturnType<typeof startCluster>>
let client: Client
beforeAll(async () => {
  cluster = await startCluster()
  client = createClient({ baseUrl: cluster.url })
  await client.signIn('operator', cluster.password)
}, ENGINE_WITHIN_MS)

test(
  'the floor given and taken on two nodes at once: the engine ends with the last decision',
  async () => {
    const { nodes, engine } = cluster
    const clients = nodes.map(baseUrl => createClient({ baseUrl }))
    for (const each of clients) await each.signIn('operator', cluster.password)
    const { id: spaceId } = await client.createSpaces({ name: 'Space' })
    const { id: roomId } = await client.createRooms({ spaceId, name: 'Room', type: 'webinar', isFloorAllowed: true })
    const at = { spaceId, roomId }
    const { channelId } = await client.getRoom(at)
    const guest = createClient({ baseUrl: cluster.url })
    const accessToken = tokenOf(await client.generateAccess({ ...at, role: 'user', username: 'Grace' }))
    const { guestToken } = await guest.redeemAccess({ accessToken })
    const { participantId } = await enter(createClient({ baseUrl: cluster.url, token: guestToken }), at)
    await until(async () => expect((await client.getLiveCall(at)).participants).toHaveLength(1))
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(
        clients.map((each, index) => each.setFloor({ ...at, participantId, onAir: (index + round) % 2 === 0 })),
      )
      const [participant] = (await client.getLiveCall(at)).participants
      const { permission } = await engine.getParticipant(channelId, participantId)
      expect(permission?.canPublish).toBe(participant?.hasFloor)
    }
  },
  LONG_MS,
)

test(
  'two nodes are restarted in turn under load: no request fails, and nobody leaves the call',
  async () => {
    const { node, ready } = cluster
    const { id: spaceId } = await client.createSpaces({ name: 'Space' })
    const { id: roomId } = await client.createRooms({ spaceId, name: 'Room' })
    const at = { spaceId, roomId }
    const people = [await enter(client, at, 'tab-one-1'), await enter(client, at, 'tab-two-2')]
    await until(async () => expect((await client.getLiveCall(at)).participants).toHaveLength(2))
    const { id: callId } = await client.getLiveCall(at)
    const stop = load(() => client.getRoom(at))
    for (const number of [1, 2]) {
      const [before, starts] = [node(number), ready()]
      process.kill(before, 'SIGTERM')
      await until(() => expect([node(number) !== before, ready()]).toEqual([true, starts + 1]), 20_000)
      await sleep(1500)
    }
    const { asked, failures } = await stop()
    expect(failures).toEqual([])
    expect(asked).toBeGreaterThan(RATE)
    expect(people.map(({ room }) => room.isConnected)).toEqual([true, true])
    const { items } = await client.getAttendance({ ...at, callId })
    expect(items.flatMap(({ stays }) => stays.map(({ leftAt }) => leftAt))).toEqual([null, null])
  },
  LONG_MS,
)
