import { chmodSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createClient } from '../../client/client.ts'
import { until } from '../support/events.ts'
import { ENGINE_WITHIN_MS, enter } from '../support/live.ts'
import { freePorts } from '../support/ports.ts'
import { launchProgram, temporaryFolder } from '../support/process.ts'

/* The three commands of docs/operating.md. The first two are what `npm test` itself begins with. */

const RATE = 200

const page = readFileSync('docs/operating.md', 'utf8')
const [, commands = ''] = /To see it on one\nmachine[^`]*```sh\n([^`]*)```/.exec(page) ?? []

const startCluster = async () => {
  const [packages, install, run = ''] = commands.trim().split('\n')
  expect([packages, install]).toEqual(['apt-get install -y postgresql redis-server nginx', 'npm ci'])
  const folder = temporaryFolder()
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755)
  const settings = { PORT: String(await freePorts(11)), LECTERN_DATA: folder, LECTERN_DRAIN_SECONDS: '1' }
  const cluster = launchProgram('sh', ['-c', `exec ${run}`], settings, { detached: true })
  await until(() => expect(cluster.output.stdout).toContain('Two nodes serve'), 60_000)
  const said = (pattern: RegExp) => [...cluster.output.stdout.matchAll(pattern)].map(([, found = '']) => found)
  return {
    ...cluster,
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

test(
  'two nodes are restarted in turn under load: no request fails, and nobody leaves the call',
  async () => {
    const { url, password, node, ready, child, ended } = await startCluster()
    const client = createClient({ baseUrl: url })
    await client.signIn('operator', password)
    const { id: spaceId } = await client.createSpaces({ name: 'Space' })
    const { id: roomId } = await client.createRooms({ spaceId, name: 'Room' })
    const at = { spaceId, roomId }
    const people = [await enter(client, at, 'tab-one-1'), await enter(client, at, 'tab-two-2')]
    await until(async () => expect((await client.getCall(at)).participants).toHaveLength(2))
    const { id: callId } = await client.getCall(at)
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

    if (child.pid) process.kill(-child.pid, 'SIGTERM')
    await ended
  },
  ENGINE_WITHIN_MS,
)
