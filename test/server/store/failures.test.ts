import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../../client/client.ts'
import { LecternError } from '../../../client/error.ts'
import { startProcess, temporaryFolder } from '../../support/process.ts'
import { startReceiver } from '../../support/receiver.ts'

/* The database of a running service fails for a while: it says so, recovers by itself, and loses nothing it has said yes to. */

const PASSWORD = 'operator password'

const start = async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const data = temporaryFolder()
  const environment = {
    LECTERN_DATA: data,
    LECTERN_ADMIN_PASSWORD: PASSWORD,
    LECTERN_LOG_LEVEL: 'fatal',
    LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
    LECTERN_WEBHOOK_SCHEDULE: '0,1,1',
  }
  const service = await startProcess(environment)
  const client = createClient({ baseUrl: service.url })
  const { access_token: token } = await client.signIn('operator', PASSWORD)
  const { id: spaceId } = await client.createSpaces({ name: 'Space' })
  await client.createWebhook({ spaceId, url: receiver.url })
  const rooms = async (from = client) => {
    const found: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await from.listRooms({ spaceId, limit: 200, ...(cursor && { cursor }) })
      found.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    }
    return found.sort()
  }
  const restart = async () => {
    service.child.kill('SIGKILL')
    await service.ended
    const { url } = await startProcess(environment)
    return createClient({ baseUrl: url, token })
  }
  return { ...service, data, receiver, client, spaceId, rooms, restart }
}

const isUnavailable = (error: unknown) => {
  expect(error).toBeInstanceOf(LecternError)
  expect(error).toMatchObject({ status: 503, code: 'unavailable', retryAfter: 1 })
}

const until = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 20_000, interval: 50 })

describe('a database that', () => {
  test('somebody else has locked', async () => {
    const { data, client, spaceId, receiver, rooms, restart } = await start()
    // An attempt is under way when the lock comes, and its result waits.
    let answer = () => {}
    receiver.on('/', (_, response) => {
      answer = () => void response.end()
    })
    const { id: deliveryId } = await client.testWebhook({ spaceId })
    await until(() => expect(receiver.callbacks).toHaveLength(1))
    const { id: before } = await client.createRooms({ spaceId, name: 'Before' })

    const other = new Database(join(data, 'lectern.db'))
    onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    answer()
    const refused = await Promise.allSettled([
      client.createRooms({ spaceId, name: 'Room' }),
      client.createSpaces({ name: 'Space' }),
      client.testWebhook({ spaceId }),
      client.createInvite({ spaceId, role: 'role_space_user' }),
    ])
    for (const result of refused) {
      expect(result.status).toBe('rejected')
      isUnavailable((result as PromiseRejectedResult).reason)
    }
    expect(await rooms()).toEqual([before])
    other.exec('ROLLBACK')

    const { id: after } = await client.createRooms({ spaceId, name: 'After' })
    await until(async () => expect((await client.getDelivery({ spaceId, deliveryId })).state).toBe('delivered'))
    expect((await client.getDelivery({ spaceId, deliveryId })).attempts).toMatchObject([{ outcome: 'success' }])
    expect((await client.listDeliveries({ spaceId })).items).toHaveLength(1)
    expect(receiver.callbacks).toHaveLength(1)
    expect(await rooms(await restart())).toEqual([before, after].sort())
  }, 60_000)

  test('has no room left', async () => {
    if (spawnSync('prlimit', ['--version']).status !== 0)
      throw new Error('prlimit (util-linux) is missing: a full disk cannot be tried')
    const { data, child, client, spaceId, receiver, rooms, restart } = await start()
    const limit = (size: number | 'unlimited') => {
      const { status, stderr } = spawnSync('prlimit', [`--pid=${child.pid}`, `--fsize=${size}:`], { encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
    }
    const kept: string[] = []
    const create = async () => {
      kept.push((await client.createRooms({ spaceId, name: 'Room' })).id)
    }
    for (let i = 0; i < 20; i++) await create()
    receiver.on('/', (_, response) => void response.writeHead(500).end())
    const { id: deliveryId } = await client.testWebhook({ spaceId })
    await until(async () =>
      expect((await client.getDelivery({ spaceId, deliveryId })).attempts).toMatchObject([{ outcome: 'status' }]),
    )

    limit(statSync(join(data, 'lectern.db-wal')).size)
    // What still fits is kept; then there is no more.
    const refusals: unknown[] = []
    for (let i = 0; i < 400 && refusals.length < 20; i++)
      await Promise.all([create(), create(), create()].map(made => made.catch(error => refusals.push(error))))
    expect(refusals.length).toBeGreaterThanOrEqual(20)
    for (const error of refusals) isUnavailable(error)
    // Reading goes on.
    expect(await rooms()).toEqual(kept.toSorted())
    // Attempts that cannot be recorded are not made.
    const sent = receiver.callbacks.length
    await new Promise(passed => setTimeout(passed, 2500))
    expect(receiver.callbacks).toHaveLength(sent)

    limit('unlimited')
    receiver.on('/', (_, response) => void response.end())
    for (let i = 0; i < 20; i++) await create()
    expect(await rooms()).toEqual(kept.toSorted())
    await until(async () => expect((await client.getDelivery({ spaceId, deliveryId })).state).toBe('delivered'))
    expect(receiver.callbacks.length).toBeLessThanOrEqual(3)
    expect(await rooms(await restart())).toEqual(kept.toSorted())
  }, 60_000)
})
