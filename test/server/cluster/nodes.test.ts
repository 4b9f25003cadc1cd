import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Client, createClient } from '../../../client/client.ts'
import { createPostgresDatabase, freshInstallation, kinds, OPERATOR_PASSWORD } from '../../support/databases.ts'
import { until } from '../../support/events.ts'
import { type Lectern, startLectern } from '../../support/lectern.ts'
import { isLong } from '../../support/long.ts'
import { lecternCommand, type RunningProcess, startProcess, temporaryFolder } from '../../support/process.ts'
import { hang, startReceiver } from '../../support/receiver.ts'

/* Several nodes on one database. The whole interface runs over two of them in the project `nodes`. */

const twoNodes = async (environment: Record<string, string> = {}): Promise<[Lectern, Lectern]> => {
  const shared = { LECTERN_DATA: temporaryFolder(), DATABASE_URL: await createPostgresDatabase(), ...environment }
  return [await startLectern(shared), await startLectern(shared)]
}

/** An owner, and a webhook whose receiver never answers, with two attempts under way on `sender`. */
const underWay = async (sender: Lectern) => {
  const receiver = await startReceiver()
  const owner = await sender.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const url = `${receiver.url}/${spaceId}`
  let closed = 0
  receiver.on(`/${spaceId}`, (callback, response, request) => {
    response.on('close', () => closed++)
    hang(callback, response, request)
  })
  await owner.createWebhook({ spaceId, url })
  await owner.testWebhook({ spaceId })
  await owner.testWebhook({ spaceId })
  await until(() => expect(receiver.at(`/${spaceId}`)).toHaveLength(2))
  return { owner, spaceId, url, closed: () => closed, sent: () => receiver.at(`/${spaceId}`).length }
}

/** Within a second, as is promised; and nothing follows. */
const expectCut = async ({ closed, sent }: Awaited<ReturnType<typeof underWay>>) => {
  await until(() => expect(closed()).toBe(2), 1000)
  expect(sent()).toBe(2)
}

const privateWebhooks = { LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' }

describe('a webhook', () => {
  test('switched off, or deleted, on one node is cut on the other', async () => {
    const [one, other] = await twoNodes(privateWebhooks)
    const first = await underWay(one)
    await other.withToken(first.owner.token).updateWebhook({ spaceId: first.spaceId, url: first.url, isActive: false })
    await expectCut(first)
    const second = await underWay(one)
    await other.withToken(second.owner.token).deleteWebhook({ spaceId: second.spaceId })
    await expectCut(second)
  })

  test('with another address on one node has nothing sent to the old one by the other', async () => {
    const [one, other] = await twoNodes({ ...privateWebhooks, LECTERN_WEBHOOK_SCHEDULE: '0,1,1' })
    const receiver = await startReceiver()
    receiver.on('/old', (_, response) => response.writeHead(500).end())
    const owner = await one.user()
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    await owner.createWebhook({ spaceId, url: `${receiver.url}/old` })
    const { id: deliveryId } = await owner.testWebhook({ spaceId })
    await until(() => expect(receiver.at('/old')).toHaveLength(1))
    await other.withToken(owner.token).updateWebhook({ spaceId, url: `${receiver.url}/new`, isActive: true })
    await until(async () => expect((await owner.getDelivery({ spaceId, deliveryId })).state).toBe('delivered'))
    expect([receiver.at('/old').length, receiver.at('/new').length]).toEqual([1, 1])
  })

  test.each(kinds)('whose plan a command ends is cut in the service: %s', async kind => {
    const environment = { ...(await freshInstallation(kind)), ...privateWebhooks }
    const lectern = await startLectern(environment)
    const opened = await underWay(lectern)
    expect(await lecternCommand(['space', 'plan', opened.spaceId, 'free'], environment)).toMatchObject({ code: 0 })
    await expectCut(opened)
  })

  test('is cut also by what was said while the connection between nodes was lost', async () => {
    const [one, other] = await twoNodes(privateWebhooks)
    const opened = await underWay(one)
    // Both lose it, and the notice finds nobody.
    const cutConnections = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'lectern node %'`
    await sql.raw(cutConnections).execute(one.running.db)
    await other
      .withToken(opened.owner.token)
      .updateWebhook({ spaceId: opened.spaceId, url: opened.url, isActive: false })
    await until(() => expect(opened.closed()).toBe(2), 6000)
    expect(opened.sent()).toBe(2)
  })
})

test('sign-ins that fail count over all nodes', async () => {
  const nodes = await twoNodes({ LECTERN_RATE_LIMITS: 'on' })
  const signIn = (node: Lectern) =>
    node.request('POST', '/v1/auth/token', {
      body: { grant_type: 'password', username: 'operator', password: 'wrong' },
    })
  const statuses: number[] = []
  for (let count = 0; count < 11; count++) statuses.push((await signIn(nodes[count % 2] as Lectern)).status)
  expect(statuses).toEqual([...Array(10).fill(400), 429])
})

describe('a node', () => {
  const start = (environment: Record<string, string>) => startProcess({ LECTERN_LOG_LEVEL: 'info', ...environment })
  const leads = ({ output }: RunningProcess) => output.stdout.includes('this node reconciles calls')

  test('takes over from the lead that is killed, within ten seconds', async () => {
    const environment = await freshInstallation('postgres')
    environment.LECTERN_LOG_LEVEL = 'info'
    const first = await start(environment)
    await until(() => expect(leads(first)).toBe(true))
    const second = await start(environment)
    expect(leads(second)).toBe(false)
    first.child.kill('SIGKILL')
    await until(() => expect(leads(second)).toBe(true), 10_000)
  })

  const refused = async (environment: Record<string, string>) => {
    const { code, stderr } = await lecternCommand(['start'], environment)
    return [code, stderr] as const
  }

  test('that does not fit in says why, and does not start', async () => {
    const environment = await freshInstallation('postgres')
    const running = await start(environment)
    const key = readFileSync(join(environment.LECTERN_DATA, 'master.key'), 'utf8').trim()
    const elsewhere = { ...environment, LECTERN_DATA: temporaryFolder() }
    const engine = {
      LECTERN_MEDIA: 'on',
      LECTERN_LIVEKIT_URL: 'ws://127.0.0.1:9',
      LECTERN_LIVEKIT_API_KEY: 'key',
      LECTERN_LIVEKIT_API_SECRET: 'secret',
    }
    const [withOtherKey, withOtherEngine, withOwnEngine, withKey] = await Promise.all([
      refused(elsewhere),
      refused({ ...elsewhere, ...engine, LECTERN_MASTER_KEY: key }),
      refused({ ...elsewhere, LECTERN_MEDIA: 'on', LECTERN_MASTER_KEY: key }),
      start({ ...elsewhere, LECTERN_MASTER_KEY: key, LECTERN_CALL_GRACE: '7', LECTERN_LOG_LEVEL: 'warn' }),
    ])
    expect(withOtherKey).toEqual([2, expect.stringContaining('does not belong to this database')])
    expect(withOtherEngine).toEqual([2, expect.stringContaining('uses another LiveKit')])
    expect(withOwnEngine).toEqual([2, expect.stringContaining('a media engine of its own')])
    expect(withKey.output.stdout).toContain('not the same on every node: LECTERN_CALL_GRACE.')
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200)
  })

  test('can have the master key from its settings alone', async () => {
    const environment = await freshInstallation('postgres')
    const { stderr, code } = await lecternCommand(['start'], { ...environment, LECTERN_MASTER_KEY: 'short' })
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('LECTERN_MASTER_KEY must be the content of a master.key'),
    ])
    const masterKey = Buffer.alloc(32, 7).toString('base64url')
    const first = await start({ ...environment, LECTERN_MASTER_KEY: masterKey })
    const client = createClient({ baseUrl: first.url })
    await client.signIn('operator', OPERATOR_PASSWORD)
    const second = await start({ ...environment, LECTERN_DATA: temporaryFolder(), LECTERN_MASTER_KEY: masterKey })
    const { access_token } = await createClient({ baseUrl: second.url }).signIn('operator', OPERATOR_PASSWORD)
    expect(await createClient({ baseUrl: first.url, token: access_token }).getMe()).toMatchObject({
      username: 'operator',
    })
  })
})

/** A machine whose clock is wrong by this much: for the service the one there is. */
const clockOff = (milliseconds: number) => {
  const code = `
    const RealDate = Date
    const off = ${milliseconds}
    globalThis.Date = class extends RealDate {
      constructor(...args) { if (args.length) super(...args); else super(RealDate.now() + off) }
      static now() { return RealDate.now() + off }
    }`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` }
}

const MINUTE = 60_000

test.runIf(isLong)('nodes whose clocks are ahead, behind and set back work like the others', async () => {
  const environment = {
    ...(await freshInstallation('postgres')),
    ...privateWebhooks,
    LECTERN_WEBHOOK_SCHEDULE: '0,1,1',
  }
  const right = await startProcess(environment)
  const wrong = [MINUTE, -MINUTE, -60 * MINUTE].map(off => startProcess({ ...environment, ...clockOff(off) }))
  const nodes = [right, ...(await Promise.all(wrong))]
  const tokens = await Promise.all(
    nodes.map(({ url }) => createClient({ baseUrl: url }).signIn('operator', OPERATOR_PASSWORD)),
  )
  // Each with the token of another.
  const clients = nodes.map(({ url }, index) =>
    createClient({ baseUrl: url, token: tokens[(index + 1) % tokens.length]?.access_token ?? '' }),
  )
  const [here, there] = [clients[0], clients[3]] as [Client, Client]
  const { id: spaceId } = await there.createSpaces({ name: 'Space' })
  const names = Array.from({ length: 8 }, (_, n) => `Room ${n}`)
  for (const [n, name] of names.entries()) await clients[n % 4]?.createRooms({ spaceId, name })
  const { items } = await here.listRooms({ spaceId })
  expect(items.map(({ name }) => name)).toEqual(names.reverse())

  const receiver = await startReceiver()
  const isFirst = (id: string) => receiver.callbacks.filter(callback => callback.id === id).length === 1
  receiver.on('/', ({ id }, response) => response.writeHead(isFirst(id) ? 500 : 200).end())
  await there.createWebhook({ spaceId, url: `${receiver.url}/` })
  const sent = await Promise.all(clients.map(client => client.testWebhook({ spaceId })))
  for (const { id: deliveryId } of sent) {
    // The second attempt succeeds, and is made neither at once nor never. Clocks of nodes agree within milliseconds.
    await until(async () => expect((await here.getDelivery({ spaceId, deliveryId })).state).toBe('delivered'))
    const { attempts } = await here.getDelivery({ spaceId, deliveryId })
    const [first = 0, second = 0, ...more] = attempts.map(({ at }) => Date.parse(at))
    expect([more, Math.abs(first - Date.now()) < MINUTE / 2, second - first > 500]).toEqual([[], true, true])
  }
  // Receivers refuse what is signed for another time.
  for (const { headers } of receiver.callbacks)
    expect(Math.abs(Number(headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(MINUTE / 2)
})
