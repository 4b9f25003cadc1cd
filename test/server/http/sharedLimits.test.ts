import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createSweep } from '../../../server/store/housekeeping.ts'
import { HOUR } from '../../support/cast.ts'
import { createPostgresDatabase } from '../../support/databases.ts'
import { type Lectern, startLectern } from '../../support/lectern.ts'

/* What two nodes of one installation count together, and what each for itself. */

/** Two nodes behind a proxy, so that a test can come from an address of its own. */
const startNodes = async (): Promise<[Lectern, Lectern]> => {
  const settings = {
    DATABASE_URL: await createPostgresDatabase(),
    LECTERN_RATE_LIMITS: 'on',
    LECTERN_TRUSTED_PROXIES: '127.0.0.1,::1',
  }
  const first = await startLectern(settings)
  return [first, await startLectern({ ...settings, LECTERN_DATA: first.config.data })]
}

let nodes: [Lectern, Lectern]
beforeAll(async () => {
  nodes = await startNodes()
})

const signIn = async (node: Lectern, username: string, password: string, from: string) => {
  const { status } = await node.request('POST', '/v1/auth/token', {
    headers: { 'x-forwarded-for': from },
    body: { grant_type: 'password', username, password },
  })
  return status
}

const failTenTimes = async (among: Lectern[], username: string, from: string) => {
  for (let count = 0; count < 10; count++)
    expect(await signIn(among[count % among.length] as Lectern, username, 'wrong', from)).toBe(400)
}

test('ten wrong passwords over two nodes: the eleventh is refused on either', async () => {
  const { username, password } = await nodes[0].user()
  await failTenTimes(nodes, username, '192.0.2.1')
  for (const node of nodes) {
    expect(await signIn(node, username, password, '192.0.2.1')).toBe(429)
    expect(await signIn(node, username, password, '192.0.2.2')).toBe(200)
  }
})

test('a burst over two nodes gets no further', async () => {
  const { username } = await nodes[0].user()
  const guesses = Array.from({ length: 40 }, (_, index) =>
    signIn(nodes[index % 2] as Lectern, username, 'wrong', '192.0.2.3'),
  )
  const statuses = await Promise.all(guesses)
  expect(statuses.filter(status => status === 400)).toHaveLength(10)
  expect(statuses.filter(status => status === 429)).toHaveLength(30)
})

test('a success on one node starts the count anew on both', async () => {
  const { username, password } = await nodes[0].user()
  for (let round = 0; round < 2; round++) {
    for (let count = 0; count < 9; count++)
      expect(await signIn(nodes[count % 2] as Lectern, username, 'wrong', '192.0.2.4')).toBe(400)
    expect(await signIn(nodes[round] as Lectern, username, password, '192.0.2.4')).toBe(200)
  }
})

test('new accounts are counted together, requests by each node', async () => {
  const [first, second] = nodes
  const { token } = first.operator
  const left = (headers: Headers) => Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  const create = async (node: Lectern, name: string) =>
    left(
      (
        await node.request('POST', '/v1/users', {
          token,
          body: { email: `${name}@example.com`, username: name, password: 'password' },
        })
      ).headers,
    )
  const before = await create(first, 'one')
  expect(await create(second, 'two')).toBe(before - 1)
  expect(await create(first, 'three')).toBe(before - 2)

  const ask = async (node: Lectern) => left((await node.request('GET', '/v1/users/me', { token })).headers)
  const [here, there] = [await ask(first), await ask(second)]
  expect(await ask(first)).toBe(here - 1)
  expect(await ask(second)).toBe(there - 1)
})

test('the database shows neither names nor addresses, and keeps nothing that has expired', async () => {
  const [node] = nodes
  const { db } = node.running
  await signIn(node, 'what somebody typed', 'wrong', '192.0.2.5')
  const counted = async () => db.selectFrom('rateLimits').selectAll().execute()
  expect((await counted()).length).toBeGreaterThan(1)
  for (const { key } of await counted()) expect(key).toMatch(/^[\w-]{43}$/)
  const sweepIn = (milliseconds: number) => createSweep(db, node.config, () => Date.now() + milliseconds)()
  await sweepIn(0)
  expect((await counted()).length).toBeGreaterThan(1)
  await sweepIn(HOUR + 60_000)
  expect(await counted()).toEqual([])
})

test('while the database does not count, each node counts for itself', async () => {
  const [first, second] = await startNodes()
  const { username, password } = await first.user()
  await sql`drop table "rateLimits"`.execute(first.running.db)
  await failTenTimes([first], username, '192.0.2.1')
  expect(await signIn(first, username, password, '192.0.2.1')).toBe(429)
  expect(await signIn(second, username, password, '192.0.2.1')).toBe(200)
})
