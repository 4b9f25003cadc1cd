import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listCalls } from '../../../server/store/calls.ts'
import { listMembers } from '../../../server/store/members.ts'
import { migrations } from '../../../server/store/migrations.ts'
import { createKeyRepair, endOfPrefix, nameKey } from '../../../server/store/nameKeys.ts'
import { postgresDialect } from '../../../server/store/postgres.ts'
import { listJoinableRooms, listRooms, searchRooms } from '../../../server/store/rooms.ts'
import { migrate } from '../../../server/store/schema.ts'
import { sqliteDialect } from '../../../server/store/sqlite.ts'
import type { Db, Tables } from '../../../server/store/tables.ts'
import { listUsers } from '../../../server/store/users.ts'
import { createPostgresDatabase, type Kind, kinds } from '../../support/databases.ts'
import { temporaryFolder } from '../../support/process.ts'

const open = async (kind: Kind) => {
  const statements: { sql: string; parameters: readonly unknown[] }[] = []
  const dialect =
    kind === 'sqlite'
      ? sqliteDialect(join(temporaryFolder(), 'lectern.db'))
      : postgresDialect(await createPostgresDatabase({ isEmpty: true }), { connections: 1, acquireTimeoutMs: 5000 })
  const db: Db = new Kysely<Tables>({
    dialect,
    log({ query }) {
      statements.push(query)
    },
  })
  onTestFinished(() => db.destroy())
  return { db, statements }
}

/** As a release that knows no keys leaves it. */
const fill = async (db: Db) => {
  await sql`insert into users (id, email, "emailKey", username, "usernameKey", "passwordHash", "displayName", "isOperator", "createdAt")
    values ('u1', 'a', 'a', 'Ada', 'ada', '', 'ÉMILIE', 0, 1), ('u2', 'b', 'b', 'Bob', 'bob', '', null, 0, 1)`.execute(
    db,
  )
  await sql`insert into spaces (id, name, "isPublic", plan, "createdAt") values ('s', 'Space', 1, 'free', 1)`.execute(
    db,
  )
  await sql`insert into members (id, "spaceId", "userId", role, "joinedAt")
    values ('m1', 's', 'u1', 'role_space_owner', 1), ('m2', 's', 'u2', 'role_space_user', 1)`.execute(db)
  await sql`insert into rooms (id, "spaceId", alias, "channelId", name, type, "isPublic", "isChatAllowed", "isScreensharingAllowed", "isFloorAllowed", "creatorId", "createdAt")
    values ('r1', 's', 'a', 'c1', 'Алгебра', 'lesson', 1, 1, 1, 0, 'u1', 1), ('r2', 's', 'b', 'c2', 'Ｗaves', 'lesson', 0, 1, 1, 0, 'u1', 1)`.execute(
    db,
  )
  await sql`insert into calls (id, "spaceId", "roomId", "roomName", "channelId", "startedAt", "lastSeenAt", "wasEnded")
    values ('k1', 's', 'r1', 'Старая Алгебра', 'c1', 1, 1, 0)`.execute(db)
}

const keysIn = async (db: Db) => {
  const tables = ['users', 'members', 'rooms'] as const
  const keys = await Promise.all(
    tables.map(table => db.selectFrom(table).select(['id', 'nameKey']).orderBy('id').execute()),
  )
  const calls = await db.selectFrom('calls').select('roomNameKey').execute()
  return [...keys.flat().map(row => row.nameKey), ...calls.map(row => row.roomNameKey)]
}

const right = ['émilie', 'bob', 'émilie', 'bob', 'алгебра', 'waves', 'старая алгебра']

describe.each(kinds)('on %s', kind => {
  test('names from before get their keys, and so do those of the previous release afterwards', async () => {
    const { db } = await open(kind)
    const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0016'))
    const { error } = await new Migrator({ db, provider: { getMigrations: async () => before } }).migrateToLatest()
    expect(error).toBeUndefined()
    await fill(db)
    await migrate(db)
    expect(await keysIn(db)).toEqual(right)

    await db.updateTable('rooms').set({ name: 'Геометрия' }).where('id', '=', 'r1').execute()
    await db.updateTable('users').set({ displayName: 'Bobby' }).where('id', '=', 'u2').execute()
    await db.updateTable('calls').set({ roomNameKey: null }).execute()
    const repair = createKeyRepair(db, 1)
    while (await repair());
    expect(await keysIn(db)).toEqual(['émilie', 'bobby', 'émilie', 'bobby', 'геометрия', 'waves', 'старая алгебра'])
  })

  test('every search reads a range of an index, in its order', async () => {
    const { db, statements } = await open(kind)
    await migrate(db)
    if (kind === 'postgres') await sql`set enable_seqscan = off`.execute(db)
    const cursor = '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10.YWI'
    const searches: [index: string, search: (query: { q: string; cursor?: string }) => Promise<unknown>][] = [
      ['rooms_by_name', query => listRooms(db, 's', query)],
      ['rooms_public_by_name', query => listJoinableRooms(db, 's', 'u', query)],
      ['members_by_name', query => listMembers(db, 's', query)],
      ['calls_by_name', query => listCalls(db, { spaceId: 's' }, { ...query, state: 'ended' })],
    ]
    for (const [index, search] of searches)
      for (const query of [{ q: 'a' }, { q: 'a', cursor }]) {
        statements.length = 0
        await search(query)
        const plan = await planOf(db, kind, statements[0])
        expect(plan).toContain(index)
        // The range is what the index is asked for, not what its rows are sifted by.
        expect(plan).toMatch(
          kind === 'sqlite' ? new RegExp(`${index} .*ame[kK]ey>\\?`, 'i') : /Index Cond: .*ameKey" >= 'a'/,
        )
        // The rooms a plain user may join come from three places, one page from each.
        if (index !== 'rooms_public_by_name') expect(plan).not.toMatch(/TEMP B-TREE|Sort/)
      }
  })

  test('users are searched by three indexes, each in its order', async () => {
    const { db, statements } = await open(kind)
    await migrate(db)
    if (kind === 'postgres') await sql`set enable_seqscan = off`.execute(db)
    statements.length = 0
    await listUsers(db, { q: 'a' })
    await listUsers(db, {
      q: 'a',
      cursor: `0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10.${Buffer.from('1ab').toString('base64url')}`,
    })
    const plans = await Promise.all(statements.map(statement => planOf(db, kind, statement)))
    const columns = ['nameKey', 'usernameKey', 'emailKey', 'usernameKey', 'emailKey']
    expect(plans).toHaveLength(columns.length)
    for (const [at, column] of columns.entries()) {
      expect(plans[at]).toMatch(
        kind === 'sqlite'
          ? new RegExp(`SEARCH users USING INDEX .*${column}>\\?`)
          : new RegExp(`Index Cond: .*${column}".* >= 'a'`),
      )
      expect(plans[at]).not.toMatch(/TEMP B-TREE|Sort/)
    }
  })

  test('of each space no more than one page of rooms is searched', async () => {
    const { db, statements } = await open(kind)
    await migrate(db)
    if (kind === 'postgres') await sql`set enable_seqscan = off`.execute(db)
    statements.length = 0
    await searchRooms(db, 'u', { q: 'a' })
    const plan = await planOf(db, kind, statements[0])
    for (const index of ['rooms_by_name', 'rooms_public_by_name', 'members_by_user']) expect(plan).toContain(index)
    // PostgreSQL chooses by what is in the tables.
    if (kind === 'sqlite') expect(plan).toContain('rooms_by_creator (creatorId=? AND spaceId=?)')
    expect(plan).not.toMatch(/SCAN (rooms|part|found|members|theirs|spaces)|Seq Scan/)
  })
})

const planOf = async (db: Db, kind: Kind, statement: { sql: string; parameters: readonly unknown[] } | undefined) => {
  if (!statement) throw new Error('Nothing was asked')
  const text = `${kind === 'sqlite' ? 'explain query plan' : 'explain'} ${statement.sql}`
  const pieces = text.split(kind === 'sqlite' ? '?' : /\$\d+/)
  const numbers = [...statement.sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number) - 1)
  const query = pieces
    .slice(1)
    .reduce(
      (so, piece, at) => sql`${so}${sql.lit(statement.parameters[numbers[at] ?? at])}${sql.raw(piece)}`,
      sql.raw(pieces[0] ?? ''),
    )
  const { rows } = await query.execute(db)
  return (rows as Record<string, string>[]).map(row => row.detail ?? row['QUERY PLAN']).join('\n')
}

test.each([
  ['abc', 'abd'],
  ['a\ud7ff', 'a\ue000'],
  ['a\u{10ffff}', 'b'],
  ['\u{10ffff}', null],
])('what begins with %j ends before %j', (prefix, end) => {
  expect(endOfPrefix(prefix)).toBe(end)
})

test('no key is longer than an index takes', () => {
  // One letter that stands for eighteen, three bytes each.
  const key = nameKey('\ufdfa'.repeat(200))
  expect(Buffer.byteLength(key)).toBeLessThan(900)
})
