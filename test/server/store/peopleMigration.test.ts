import { join } from 'node:path'
import { Kysely as Connection, type Kysely, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../server/store/migrations.ts'
import { postgresDialect } from '../../../server/store/postgres.ts'
import { sqliteDialect } from '../../../server/store/sqlite.ts'
import { createPostgresDatabase, kinds } from '../../support/databases.ts'
import { temporaryFolder } from '../../support/process.ts'

/** Rows as the release before wrote them: a guest of a link for a pupil, banned, and once in a call. */
const before = [
  `insert into users values ('u', 'e', 'e', 'n', 'n', 'p', null, null, 0, 1)`,
  `insert into spaces values ('s', 'Space', null, null, 0, 'free', null, 1)`,
  `insert into rooms values ('r', 's', 'alias', 'channel', 'Room', 'lesson', 0, 1, 1, 0, 'u', 1)`,
  `insert into links values ('l', 'h', 'r', 'user', null, 'pupil7', 1, 'u', 1, 2, null, null)`,
  `insert into guests values ('g', 'l', 'Ann', 1, 2)`,
  `insert into participants values ('p', 'r', 'guest:g', null, 'g', 'tab', 'pupil7', null, 0, 1)`,
  `insert into calls values ('c', 's', 'r', 'Room', 'channel', 1, 1, null, 2, 0)`,
  `insert into stays values ('x', 'c', 'connection', 'p', null, 'pupil7', 'Ann', 'user', 1, 2)`,
  `insert into bans (id, "roomId", person, "createdAt", name) values ('b', 'r', 'link:l', 1, 'Ann'), ('d', 'r', 'user:u', 1, 'N')`,
]

test.each(kinds)('on %s, bans and stays from before are of the same people', async kind => {
  const db: Kysely<unknown> = new Connection({
    dialect:
      kind === 'sqlite'
        ? sqliteDialect(join(temporaryFolder(), 'lectern.db'))
        : postgresDialect(await createPostgresDatabase({ isEmpty: true }), { connections: 1, acquireTimeoutMs: 5000 }),
  })
  onTestFinished(() => db.destroy())
  for (const [name, { up }] of Object.entries(migrations)) {
    if (name === '0012_people') for (const statement of before) await sql.raw(statement).execute(db)
    if (name <= '0010_large_calls' || name === '0012_people') await up(db)
  }
  const rows = async (statement: string) => (await sql.raw(statement).execute(db)).rows
  expect(await rows('select id, "externalUserId" from bans order by id')).toEqual([
    { id: 'b', externalUserId: 'pupil7' },
    { id: 'd', externalUserId: null },
  ])
  expect(await rows('select "guestId", "linkName" from stays')).toEqual([{ guestId: 'g', linkName: null }])
  expect(await rows('select "isReplacing", "replacedAt" from participants')).toEqual([
    { isReplacing: false, replacedAt: null },
  ])
})
