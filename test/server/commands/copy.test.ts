import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createPostgresDatabase } from '../../support/databases.ts'
import { fill } from '../../support/filled.ts'
import { startLectern } from '../../support/lectern.ts'
import { isLong } from '../../support/long.ts'
import { launch, lecternCommand, temporaryFolder } from '../../support/process.ts'

const ALLOW = { LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' }

/** What an operator does: an empty database with its tables, and the settings to copy into it. */
const emptyTarget = async (data: string) => {
  const environment = { LECTERN_DATA: data, DATABASE_URL: await createPostgresDatabase() }
  const run = (...args: string[]) => lecternCommand(args, environment)
  const client = new pg.Client(environment.DATABASE_URL)
  await client.connect()
  onTestFinished(() => client.end())
  return { environment, run, client }
}

const countsIn = async (client: pg.Client) => {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_name not like 'kysely%'`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of rows)
    counts[name] = Number((await client.query(`select count(*) as count from "${name}"`)).rows[0].count)
  return counts
}

/** Tables that stand for an installation, with `rooms` rows. */
const sqliteFile = async (rooms: number) => {
  const data = temporaryFolder()
  const lectern = await startLectern({ LECTERN_DATA: data })
  const { id: spaceId } = await lectern.operator.createSpaces({ name: 'Space' })
  await lectern.operator.createRooms({ spaceId, name: 'Room' })
  await lectern.stop()
  const file = join(data, 'lectern.db')
  const database = new Database(file)
  database.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rooms - 1})
    insert into rooms (id, "spaceId", alias, "channelId", name, type, "isPublic", "isChatAllowed",
      "isScreensharingAllowed", "isFloorAllowed", "creatorId", "createdAt")
    select id || i, "spaceId", alias || i, "channelId" || i, name, type, "isPublic", "isChatAllowed",
    "isScreensharingAllowed", "isFloorAllowed", "creatorId", "createdAt" from rooms, n`)
  database.close()
  return { data, file }
}

test('a filled installation is moved whole, and everything works afterwards', async () => {
  const data = temporaryFolder()
  const lectern = await startLectern({ ...ALLOW, LECTERN_DATA: data })
  const expectAll = await fill(lectern)
  const file = join(data, 'lectern.db')
  const { run, client, environment } = await emptyTarget(data)
  expect(await run('copy', '--from', file)).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use') })
  expect(
    Object.entries(await countsIn(client)).filter(([name, count]) => count > 0 && name !== 'installation'),
  ).toEqual([])
  await lectern.stop()

  const { code, stdout, stderr } = await run('copy', '--from', file)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`The master key stays in ${join(data, 'master.key')}`)

  const source = new Database(file, { readonly: true })
  const counts = await countsIn(client)
  for (const [name, count] of Object.entries(counts)) {
    // A table that was added is to be filled in test/support/filled.ts, so that this sees it copied.
    expect([name, count]).toEqual([name, expect.toSatisfy(found => found > 0, 'more than none')])
    expect([name, count]).toEqual([name, source.prepare(`select count(*) from "${name}"`).pluck().get()])
    expect(stdout).toMatch(new RegExp(`^copying  ${name}  ${count} of ${count}$`, 'm'))
    expect(stdout).toMatch(new RegExp(`^same     ${name}  ${count} rows  [0-9a-f]{16}$`, 'm'))
  }
  source.close()
  // Ids are made by us: a sequence would have to be set after a copy.
  expect((await client.query('select * from pg_sequences')).rows).toEqual([])

  const again = await run('copy', '--from', file)
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })
  expect(await countsIn(client)).toEqual(counts)

  const moved = await startLectern({ ...ALLOW, ...environment })
  onTestFinished(() => moved.stop())
  await expectAll(moved)
}, 60_000)

test(
  'a copy that is cut off leaves an empty target, and can be made again',
  async () => {
    const rows = isLong ? 1_000_000 : 10_000
    const { data, file } = await sqliteFile(rows)
    const { run, client, environment } = await emptyTarget(data)
    const cut = launch(['copy', '--from', file], environment)
    await vi.waitFor(() => expect(cut.output.stdout).toMatch(/copying {2}rooms {2}\d/), {
      timeout: 60_000,
      interval: 1,
    })
    expect(cut.output.stdout).not.toContain('Copied')
    cut.child.kill('SIGKILL')
    await cut.ended
    await vi.waitFor(async () => {
      const { rowCount } = await client.query(
        `select 1 from pg_locks where mode = 'ExclusiveLock' and relation is not null`,
      )
      expect(rowCount).toBe(0)
    }, 20_000)
    const counts = await countsIn(client)
    expect(Object.entries(counts).filter(([name, count]) => count > 0 && name !== 'installation')).toEqual([])
    const start = performance.now()
    expect(await run('copy', '--from', file)).toMatchObject({ code: 0 })
    if (isLong) console.log(`${rows} rows copied and compared in ${Math.round(performance.now() - start)} ms`)
    expect((await countsIn(client)).rooms).toBe(rows)
  },
  isLong ? 600_000 : 60_000,
)

test('what PostgreSQL gives back is compared with what was read', async () => {
  const { data, file } = await sqliteFile(3)
  const { run, client } = await emptyTarget(data)
  await client.query(`create function spoil() returns trigger language plpgsql as
    $$ begin new.name := upper(new.name); return new; end $$`)
  await client.query('create trigger spoil before insert on rooms for each row execute function spoil()')
  const { code, stderr } = await run('copy', '--from', file)
  expect([code, stderr]).toEqual([1, expect.stringContaining('something else than was copied into rooms')])
  expect((await countsIn(client)).users).toBe(0)
})

test('says what stands in the way', async () => {
  const { data, file } = await sqliteFile(2)
  const { run, client, environment } = await emptyTarget(data)
  const other = join(data, 'other.db')
  const refused = async (words: string | RegExp, from = other) => {
    const { code, stdout, stderr } = await run('copy', '--from', from)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(words)])
    expect(stderr).not.toMatch(/\n {4}at /)
  }
  await refused('There is no file', join(data, 'none.db'))
  writeFileSync(other, 'not a database, whatever its name says, and long enough to be one'.repeat(20))
  await refused('not a Lectern database')
  copyFileSync(file, other)
  const changed = new Database(other)
  changed.exec(`insert into kysely_migration values ('9999_later', '2999-01-01')`)
  await refused('in use')
  changed.close()
  await refused('newer schema')
  const older = new Database(other)
  older.exec(
    `delete from kysely_migration where name in (select name from kysely_migration order by name desc limit 2)`,
  )
  older.close()
  await refused(`older schema.*LECTERN_DATA=${data} lectern migrate`)
  await client.query('drop schema public cascade; create schema public')
  await refused('lectern migrate', file)
  const nowhere = await lecternCommand(['copy', '--from', file], { ...environment, DATABASE_URL: '' })
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('Set DATABASE_URL') })
})
