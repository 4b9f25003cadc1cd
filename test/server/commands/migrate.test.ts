import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../../client/client.ts'
import { readConfig } from '../../../server/config.ts'
import { connectDb, openDb } from '../../../server/store/db.ts'
import { migrations } from '../../../server/store/migrations.ts'
import type { Db } from '../../../server/store/tables.ts'
import { freshInstallation, type Kind, kinds, OPERATOR_PASSWORD, slowKinds } from '../../support/databases.ts'
import { lecternCommand, startProcess } from '../../support/process.ts'

const names = Object.keys(migrations)
const LATER = '9999_later'

const open = async (environment: Record<string, string>) => {
  const db = await connectDb(readConfig(environment))
  onTestFinished(() => db.destroy())
  return db
}

const applied = async (db: Db) =>
  (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)).rows.map(row => row.name)

/** Tables, columns and what is known of the schema. */
const everythingOf = async (db: Db) => ({
  tables: await db.introspection.getTables({ withInternalKyselyTables: true }),
  applied: await applied(db),
  since: await db.selectFrom('installation').select('value').where('name', '=', 'schema serves since').execute(),
})

/** As the release before the last migration left it. */
const olderInstallation = async (kind: Kind) => {
  const environment = await freshInstallation(kind, { isEmpty: true })
  const db = await open(environment)
  const known = Object.fromEntries(Object.entries(migrations).slice(0, -1))
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => known } }).migrateToLatest()
  if (error) throw error
  return { environment, db, run: (...args: string[]) => lecternCommand(args, environment) }
}

/** As a newer release left it, which adds a column and still serves programs that know `servesSince`. */
const newerInstallation = async (kind: Kind, servesSince: string) => {
  const environment = await freshInstallation(kind)
  const db = await openDb(readConfig(environment))
  onTestFinished(() => db.destroy())
  await sql`alter table rooms add column later text`.execute(db)
  await sql`insert into kysely_migration (name, timestamp) values (${LATER}, '2999-01-01T00:00:00.000Z')`.execute(db)
  await sql`update installation set value = ${servesSince} where name = 'schema serves since'`.execute(db)
  return { environment, db, run: (...args: string[]) => lecternCommand(args, environment) }
}

/** One of each that works on the database. */
const commands = [
  ['user', 'add', 'ada@example.com', 'ada'],
  ['client', 'list', 'operator'],
  ['space', 'list'],
  ['doctor'],
]

describe.each(kinds)('on %s', kind => {
  test('migrate brings an older schema up to date, once', async () => {
    const { db, run } = await olderInstallation(kind)
    const first = await run('migrate')
    expect([first.code, first.stderr]).toEqual([0, ''])
    expect(first.stdout).toBe(`applied  ${names.at(-1)}\nThe schema is up to date now.\n`)
    expect(await applied(db)).toEqual(names)
    const second = await run('migrate')
    expect([second.code, second.stdout]).toEqual([0, 'The schema was up to date already.\n'])
  })

  test('start brings an older schema up to date', async () => {
    const { environment, db } = await olderInstallation(kind)
    const { url } = await startProcess(environment)
    expect(await applied(db)).toEqual(names)
    await createClient({ baseUrl: url }).signIn('operator', OPERATOR_PASSWORD)
  })
})

describe.each(slowKinds)('on %s', kind => {
  test.each(['older', 'newer'])('%s schema: the other commands say so, and change nothing', async age => {
    const { db, run } = await (age === 'older' ? olderInstallation(kind) : newerInstallation(kind, names[0] as string))
    const before = await everythingOf(db)
    const asked = age === 'newer' ? [...commands, ['migrate']] : commands
    for (const { code, stdout, stderr } of await Promise.all(asked.map(command => run(...command)))) {
      const words = stdout + stderr
      expect([code, words]).toEqual([1, expect.stringContaining(`${age} than this release`)])
      expect(words).toContain(age === 'older' ? 'lectern migrate' : 'the release that brought it there')
      expect(words).not.toMatch(/\n {4}at /)
    }
    expect(await everythingOf(db)).toEqual(before)
  })

  test('a newer schema that still serves this release is served, left as it is, and warned of', async () => {
    const { environment, db } = await newerInstallation(kind, names.at(-1) as string)
    const before = await everythingOf(db)
    const { url, output } = await startProcess(environment)
    const operator = createClient({ baseUrl: url })
    await operator.signIn('operator', OPERATOR_PASSWORD)
    const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
    await operator.createRooms({ spaceId, name: 'Room' })
    expect(output.stdout).toContain('newer than this release')
    expect(await everythingOf(db)).toEqual(before)
  })

  test('a newer schema that does not serve this release any more is not started on', async () => {
    const { environment, db } = await newerInstallation(kind, LATER)
    const before = await everythingOf(db)
    await expect(startProcess(environment)).rejects.toThrow(
      /ended with 1:.*newer than this release.*Nothing was changed/s,
    )
    expect(await everythingOf(db)).toEqual(before)
  })
})

test('two nodes that start at once on an empty PostgreSQL migrate once', async () => {
  const environment = await freshInstallation('postgres', { isEmpty: true })
  const outcomes = await Promise.all([1, 2, 3].map(() => lecternCommand(['migrate'], environment)))
  expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual(outcomes.map(() => [0, '']))
  expect(outcomes.filter(({ stdout }) => stdout.includes('applied'))).toHaveLength(1)
  expect(await applied(await open(environment))).toEqual(names)
  const services = await Promise.all([startProcess(environment), startProcess(environment)])
  for (const { url } of services) await createClient({ baseUrl: url }).signIn('operator', OPERATOR_PASSWORD)
})

test('a migration is not ended by the timeouts of PostgreSQL, which count again afterwards', async () => {
  const fresh = await freshInstallation('postgres', { isEmpty: true })
  const { DATABASE_URL = '' } = fresh
  const name = new URL(DATABASE_URL).pathname.slice(1)
  const timeouts = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  const options = timeouts.map(timeout => `-c ${timeout}=300`).join(' ')
  const environment = { ...fresh, DATABASE_URL: `${DATABASE_URL}?options=${encodeURIComponent(options)}` }
  // Another node is migrating, for longer than any of them allows.
  const other = new pg.Client(DATABASE_URL)
  await other.connect()
  onTestFinished(() => other.end())
  await other.query(`SELECT pg_advisory_lock(3853314791062309107)`)
  const migrating = lecternCommand(['migrate'], environment)
  const waiting = async () =>
    (
      await other.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event = 'advisory' AND now() - query_start > '600ms'`,
        [name],
      )
    ).rowCount
  await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 20_000 })
  await other.query(`SELECT pg_advisory_unlock_all()`)
  expect(await migrating).toMatchObject({ code: 0, stderr: '' })

  const db = await open(environment)
  await db.connection().execute(async connection => {
    await new Migrator({ db: connection, provider: { getMigrations: async () => migrations } }).migrateToLatest()
    const { rows } = await sql`select setting from pg_settings where name in (${sql.join(timeouts)})`.execute(
      connection,
    )
    expect(rows).toEqual(timeouts.map(() => ({ setting: '300' })))
  })
})
