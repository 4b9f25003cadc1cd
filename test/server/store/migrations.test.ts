import { join } from 'node:path'
import { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { migrations, SERVES_SINCE } from '../../../server/store/migrations.ts'
import { postgresDialect } from '../../../server/store/postgres.ts'
import { migrate } from '../../../server/store/schema.ts'
import { sqliteDialect } from '../../../server/store/sqlite.ts'
import type { Tables } from '../../../server/store/tables.ts'
import { createPostgresDatabase, type Kind, kinds } from '../../support/databases.ts'
import { temporaryFolder } from '../../support/process.ts'

/* A migration leaves the previous release able to serve. */

/** What the previous release has stopped using, as the statement that drops it: so it may go. */
const unused: string[] = []

const hardlyMatters = /^(select|with|insert|update|delete|create index)\b/
/** Of statements in order, those that the previous release might not survive. */
const hostile = (statements: string[]) => {
  const added = new Set<string>()
  const addedColumns = new Set<string>()
  return statements.filter(statement => {
    const text = statement.trim().toLowerCase()
    const [, created] = /^create table (?:if not exists )?(\S+)/.exec(text) ?? []
    if (created) added.add(created)
    if (created || hardlyMatters.test(text) || unused.includes(statement)) return false
    const [, table = ''] = /^(?:alter table|create unique index \S+ on|drop table) (\S+)/.exec(text) ?? []
    if (added.has(table)) return false
    const [, column] = /^alter table \S+ add column (.*)$/.exec(text) ?? []
    if (column) addedColumns.add(`${table} ${/^\S+/.exec(column)?.[0]}`)
    // The previous release leaves a new column empty, and what is empty is never twice there.
    const [, filled] = /^create unique index .* where (\S+) is not null$/.exec(text) ?? []
    if (filled && addedColumns.has(`${table} ${filled}`)) return false
    return !column || /\bunique\b/.test(column) || (/\bnot null\b/.test(column) && !/\bdefault\b/.test(column))
  })
}

/** The statements of each migration, as they really run. */
const statementsOf = async (kind: Kind) => {
  const seen: string[] = []
  const byMigration = new Map<string, string[]>()
  const dialect =
    kind === 'sqlite'
      ? sqliteDialect(join(temporaryFolder(), 'lectern.db'))
      : postgresDialect(await createPostgresDatabase({ isEmpty: true }), { connections: 1, acquireTimeoutMs: 5000 })
  const db = new Kysely<Tables>({
    dialect,
    log({ query: { sql, parameters } }) {
      if (sql.startsWith('insert into "kysely_migration" ')) byMigration.set(String(parameters[0]), seen.splice(0))
      else seen.push(sql)
    },
  })
  await migrate(db)
  await db.destroy()
  return byMigration
}

test.each(kinds)('on %s, those since the previous release only add', async kind => {
  const byMigration = await statementsOf(kind)
  expect([...byMigration.keys()]).toEqual(Object.keys(migrations))
  expect(migrations).toHaveProperty(SERVES_SINCE)
  for (const [name, statements] of byMigration)
    if (name > SERVES_SINCE) expect([name, ...hostile(statements)]).toEqual([name])
})

test('what only adds is told from what breaks the previous release', () => {
  const fine = [
    'create table "audit" ("id" text primary key)',
    'create unique index "audit_one" on "audit" ("id")',
    'alter table "audit" rename to "log"',
    'create index "rooms_by_name" on "rooms" ("name")',
    'alter table "rooms" add column "colour" text',
    `alter table "rooms" add column "colour" text default 'red' not null`,
    `update "rooms" set "colour" = 'red'`,
    'create unique index "rooms_one_colour" on "rooms" ("spaceId", "colour") where "colour" is not null',
  ]
  expect(hostile(fine)).toEqual([])
  const breaking = [
    'alter table "bars" rename to "bans"',
    'alter table "rooms" drop column "name"',
    'alter table "rooms" rename column "name" to "title"',
    'alter table "rooms" add column "colour" text not null',
    'alter table "rooms" add column "colour" text unique',
    'alter table "rooms" alter column "name" type integer',
    'create unique index "rooms_one_name" on "rooms" ("name")',
    'create unique index "rooms_one_name" on "rooms" ("name") where "name" is not null',
    'drop table "rooms"',
    'drop index "rooms_by_space"',
  ]
  expect(hostile(breaking)).toEqual(breaking)
})
