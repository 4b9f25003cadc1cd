import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, inject, test, vi } from 'vitest'
import { createClient } from '../../client/client.ts'
import { type RunningProcess, startProcess, temporaryFolder } from '../support/process.ts'
import { dial, startFakeEngine, upgradeRequest } from '../support/sockets.ts'

/* From the signal to the end, as a balancer and clients see it. */

const PASSWORD = 'operator password'

const start = (environment: Record<string, string>) =>
  startProcess({ LECTERN_DATA: temporaryFolder(), LECTERN_ADMIN_PASSWORD: PASSWORD, ...environment })

const readiness = async (url: string) => {
  const answer = await fetch(`${url}/readyz`)
  return [answer.status, ((await answer.json()) as { status: string }).status]
}

const untilStopping = (url: string) => vi.waitFor(async () => expect(await readiness(url)).toEqual([503, 'stopping']))

/** What it says of its own stopping. */
const stoppingLine = async ({ output }: RunningProcess) =>
  vi.waitFor(() => JSON.parse(output.stdout.split('\n').find(line => line.includes('stopping')) ?? ''), {
    timeout: 5000,
  })

/** Signals again until it ends: npm and the terminal may send the same one twice. */
const endAtOnce = ({ child, ended }: RunningProcess) => {
  const asking = setInterval(() => child.kill('SIGTERM'), 100)
  return ended.finally(() => clearInterval(asking))
}

test('not ready first; what still comes is served, and its connection closed', async () => {
  const { stop: _, settings } = await startFakeEngine(socket => socket.destroy())
  const service = await start({ ...settings, LECTERN_DRAIN_SECONDS: '3' })
  const { url } = service
  const client = createClient({ baseUrl: url })
  await client.signIn('operator', PASSWORD)
  expect(await readiness(url)).toEqual([200, 'ready'])

  const signalledAt = performance.now()
  service.child.kill('SIGTERM')
  await untilStopping(url)
  expect(await client.createSpaces({ name: 'Space' })).toEqual({ id: expect.any(String) })
  const health = await fetch(`${url}/healthz`)
  expect([health.status, health.headers.get('connection')]).toEqual([200, 'close'])

  // A client that were told 403 would not come back.
  const socket = await dial(url)
  socket.write(upgradeRequest('/media/rtc?access_token=any'))
  const answer = (await new Promise<Buffer>(resolve => socket.once('data', resolve))).toString()
  expect(answer).toMatch(/^HTTP\/1.1 503 /)
  const validation = await fetch(`${url}/media/rtc/validate?access_token=any`)
  expect([validation.status, await validation.json()]).toMatchObject([503, { code: 'unavailable' }])

  expect((await service.ended).code).toBe(0)
  expect(performance.now() - signalledAt).toBeGreaterThan(2900)
})

test('a second signal ends it at once', async () => {
  const service = await start({ LECTERN_DRAIN_SECONDS: '600' })
  service.child.kill('SIGTERM')
  await untilStopping(service.url)
  expect((await endAtOnce(service)).code).toBe(1)
})

describe('without a setting', () => {
  test('it serves 0.3 seconds on SQLite', async () => {
    const service = await start({})
    service.child.kill('SIGTERM')
    expect(await stoppingLine(service)).toMatchObject({ signal: 'SIGTERM', drainSeconds: 0.3 })
    expect((await service.ended).code).toBe(0)
  })

  test('it serves 10 seconds on PostgreSQL, where there may be other nodes', async () => {
    const name = `lectern_${randomUUID().replaceAll('-', '')}`
    const admin = new pg.Client(`${inject('postgres')}/postgres`)
    await admin.connect()
    await admin.query(`CREATE DATABASE ${name}`)
    await admin.end()
    const service = await start({ DATABASE_URL: `${inject('postgres')}/${name}` })
    service.child.kill('SIGTERM')
    expect(await stoppingLine(service)).toMatchObject({ drainSeconds: 10 })
    await endAtOnce(service)
  })
})
