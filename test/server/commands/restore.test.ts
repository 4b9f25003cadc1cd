import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { asAdmin, createPostgresDatabase, type Kind, kinds, slowKinds } from '../../support/databases.ts'
import { fill } from '../../support/filled.ts'
import { startLectern } from '../../support/lectern.ts'
import { isLong } from '../../support/long.ts'
import { type Ended, lecternCommand, temporaryFolder } from '../../support/process.ts'

/** Where an installation keeps its data, and how it is lost. */
const place = async (kind: Kind, { isEmpty = false } = {}) => {
  const data = join(temporaryFolder(), 'data')
  mkdirSync(data)
  const DATABASE_URL = kind === 'postgres' ? await createPostgresDatabase({ isEmpty }) : ''
  const environment = { LECTERN_DATA: data, DATABASE_URL, LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' }
  return {
    data,
    environment,
    run: (...args: string[]) => lecternCommand(args, environment),
    async destroy() {
      rmSync(data, { recursive: true })
      if (DATABASE_URL) await asAdmin(`DROP DATABASE ${new URL(DATABASE_URL).pathname.slice(1)} WITH (FORCE)`)
    },
    async sql(statements: string) {
      if (!DATABASE_URL) return void new Database(join(data, 'lectern.db')).exec(statements).close()
      const client = new pg.Client(DATABASE_URL)
      await client.connect()
      await client.query(statements)
      await client.end()
    },
  }
}

const expectDone = ({ code, stdout, stderr }: Ended) => {
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}
const expectRefused = ({ code, stdout, stderr }: Ended, words: string | RegExp) => {
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(words)])
  expect(stderr).not.toMatch(/\n {4}at /)
}

const roomsOf = async (client: Client, spaceId: string) => {
  const found = new Set<string>()
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { items, nextCursor } = await client.listRooms({ spaceId, limit: 200, ...(cursor && { cursor }) })
    for (const { id } of items) found.add(id)
    cursor = nextCursor
  }
  return found
}

describe.each(kinds)('on %s', kind => {
  test('backed up under writes, lost and restored: all that was acknowledged before is there, and works', async () => {
    const lost = await place(kind)
    const lectern = await startLectern(lost.environment)
    const expectAll = await fill(lectern)
    const { id: spaceId } = await lectern.operator.createSpaces({ name: 'Written to meanwhile' })
    const acknowledged: string[] = []
    let isWriting = true
    const writers = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (isWriting) acknowledged.push((await lectern.operator.createRooms({ spaceId, name: 'Room' })).id)
      }),
    )
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(50), { timeout: 20_000, interval: 5 })
    const before = acknowledged.length
    const folder = temporaryFolder()
    const backup = join(folder, 'backup')
    const words = expectDone(await lost.run('backup', backup))
    // Nobody waited for it.
    expect(acknowledged.length).toBeGreaterThan(before)
    isWriting = false
    await writers
    expect(words).toContain(`Also keep ${join(lost.data, 'master.key')}`)
    expect(statSync(backup).mode & 0o077).toBe(0)
    expect(readdirSync(folder)).toEqual(['backup'])
    const key = readFileSync(join(lost.data, 'master.key'))
    expect(readFileSync(backup).includes(key.toString().trim())).toBe(false)
    await lectern.stop()
    await lost.destroy()

    const found = await place(kind, { isEmpty: true })
    rmSync(found.data, { recursive: true })
    expect(expectDone(await found.run('restore', backup))).toContain('The master key is not in a backup')
    if (!existsSync(found.data)) mkdirSync(found.data)
    writeFileSync(join(found.data, 'master.key'), key, { mode: 0o600 })
    const restored = await startLectern(found.environment)
    onTestFinished(() => restored.stop())
    await expectAll(restored)
    const rooms = await roomsOf(restored.operator, spaceId)
    expect(acknowledged.slice(0, before).filter(id => !rooms.has(id))).toEqual([])
  }, 60_000)

  test.runIf(slowKinds.includes(kind))(
    'data is replaced only when told to, and by nothing but a sound backup of a known schema',
    async () => {
      const { data, environment, run, sql } = await place(kind)
      const folder = temporaryFolder()
      const backup = join(folder, 'backup')
      const lectern = await startLectern(environment)
      const { id: spaceId } = await lectern.operator.createSpaces({ name: 'Before' })
      expectDone(await run('backup', backup))
      await lectern.operator.createSpaces({ name: 'After' })
      expectRefused(await run('restore', backup), 'There is data in .* add --replace')
      expectRefused(await run('restore', backup, '--replace'), 'is in use.*Stop Lectern')
      await lectern.stop()

      const damaged = join(folder, 'damaged')
      writeFileSync(damaged, readFileSync(backup).subarray(0, statSync(backup).size * 0.98))
      expectRefused(await run('restore', damaged, '--replace'), kind === 'sqlite' ? 'is damaged' : 'pg_restore failed')
      const spaces = expectDone(await run('space', 'list'))
      for (const name of ['Before', 'After']) expect(spaces).toContain(name)
      writeFileSync(damaged, 'no backup at all')
      expectRefused(await run('restore', damaged, '--replace'), 'is not a Lectern backup')
      expectRefused(await run('restore', join(folder, 'none')), 'There is no file')

      // A newer release was here: its tables go as well.
      const newer = join(folder, 'newer')
      await sql(`insert into kysely_migration values ('9999_later', '2999-01-01T00:00:00.000Z');
      create table later (id text primary key, "spaceId" text references spaces (id))`)
      expect(expectDone(await run('backup', newer))).toContain('newer than this release')
      expectRefused(await run('restore', newer, '--replace'), 'made by a newer release')
      expect(readdirSync(folder).sort()).toEqual(['backup', 'damaged', 'newer'])

      expectDone(await run('restore', backup, '--replace'))
      expect(readdirSync(data).filter(name => name.includes('partial') || name.endsWith('-wal'))).toEqual([])
      await sql('create table later (id text)')
      await sql('drop table later')
      const restored = await startLectern(environment)
      onTestFinished(() => restored.stop())
      const { items } = await restored.operator.listSpaces({})
      expect(items.map(({ id, name }) => [id, name])).toEqual([[spaceId, 'Before']])
    },
    60_000,
  )
})

test.runIf(isLong)('each kind of backup goes where it belongs', async () => {
  const [sqlite, postgres] = [await place('sqlite'), await place('postgres', { isEmpty: true })]
  const folder = temporaryFolder()
  for (const [name, { environment, run }] of Object.entries({ sqlite, postgres })) {
    expectRefused(await run('backup', join(folder, 'empty')), name === 'sqlite' ? 'No database found' : 'no tables yet')
    await (await startLectern(environment)).stop()
    expectDone(await run('backup', join(folder, name)))
  }
  const [into, from] = [await place('postgres', { isEmpty: true }), await place('sqlite')]
  expectRefused(await into.run('restore', join(folder, 'sqlite')), 'lectern copy --from')
  expectRefused(await from.run('restore', join(folder, 'postgres')), 'Set DATABASE_URL')
  // An empty database may have its tables already; one with tables of something else is not ours to touch.
  expectDone(await into.run('migrate'))
  expectDone(await into.run('restore', join(folder, 'postgres')))
  const foreign = await place('postgres', { isEmpty: true })
  await foreign.sql('create table customers (id text)')
  expectRefused(await foreign.run('restore', join(folder, 'postgres'), '--replace'), 'tables of something else')
})

test('without PostgreSQL’s programs it says which package to install; a password is not among their arguments', async () => {
  const { environment, run } = await place('postgres')
  await (await startLectern(environment)).stop()
  const folder = temporaryFolder()
  const nothing = { ...environment, PATH: folder }
  const missing = /pg_dump is not on PATH.*postgresql-client/
  expectRefused(await lecternCommand(['backup', join(folder, 'backup')], nothing), missing)
  expect(readdirSync(folder)).toEqual([])
  expectDone(await run('backup', join(folder, 'backup')))
  expectRefused(
    await lecternCommand(['restore', join(folder, 'backup'), '--replace'], nothing),
    /pg_restore is not on PATH/,
  )

  const programs = temporaryFolder()
  const script = `#!/bin/sh\necho "$@ / $PGPASSWORD" > ${join(programs, 'seen')}\nexit 1\n`
  writeFileSync(join(programs, 'pg_dump'), script, { mode: 0o755 })
  const url = new URL(environment.DATABASE_URL)
  url.password = encodeURIComponent('se%cret')
  const watched = { ...environment, DATABASE_URL: url.href, PATH: `${programs}:${process.env.PATH}` }
  expectRefused(await lecternCommand(['backup', join(folder, 'other')], watched), /pg_dump failed/)
  const [args = '', password = ''] = readFileSync(join(programs, 'seen'), 'utf8').split(' / ')
  expect([args.includes('cret'), password.trim()]).toEqual([false, 'se%cret'])
})

test('a restore that ends half way leaves PostgreSQL as it was', async () => {
  const { environment, run } = await place('postgres')
  const lectern = await startLectern(environment)
  const backup = join(temporaryFolder(), 'backup')
  expectDone(await run('backup', backup))
  await lectern.operator.createSpaces({ name: 'After' })
  await lectern.stop()
  const programs = temporaryFolder()
  const half = `#!/bin/sh
PATH="\${PATH#*:}"
case "$*" in *kysely_migration*) exec pg_restore "$@" ;; esac
pg_restore "$@" | sed '/^COPY public.users/,$d'
exit 1
`
  writeFileSync(join(programs, 'pg_restore'), half, { mode: 0o755 })
  const watched = { ...environment, PATH: `${programs}:${process.env.PATH}` }
  expectRefused(await lecternCommand(['restore', backup, '--replace'], watched), /pg_restore failed/)
  expect(expectDone(await run('space', 'list'))).toContain('After')
})
