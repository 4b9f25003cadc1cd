import { join } from 'node:path'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../server/store/migrations.ts'
import { postgresDialect } from '../../../server/store/postgres.ts'
import { sqliteDialect } from '../../../server/store/sqlite.ts'
import type { Tables } from '../../../server/store/tables.ts'
import { createPostgresDatabase, kinds } from '../../support/databases.ts'
import { temporaryFolder } from '../../support/process.ts'

test.each(kinds)('on %s, messages from before go to the call of their time', async kind => {
  const dialect =
    kind === 'sqlite'
      ? sqliteDialect(join(temporaryFolder(), 'lectern.db'))
      : postgresDialect(await createPostgresDatabase({ isEmpty: true }), { connections: 1, acquireTimeoutMs: 5000 })
  const db = new Kysely<Tables>({ dialect })
  onTestFinished(() => db.destroy())
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateTo('0010_large_calls')
  expect(error).toBeUndefined()

  const user = { id: 'u', email: 'u', emailKey: 'u', username: 'u', usernameKey: 'u', passwordHash: '', phone: null }
  await db
    .insertInto('users')
    .values({ ...user, displayName: null, isOperator: false, createdAt: 0 })
    .execute()
  const space = { id: 's', name: 's', description: null, logo: null, isPublic: false, createdAt: 0 }
  await db
    .insertInto('spaces')
    .values({ ...space, plan: 'free', planActiveUntil: null } as never)
    .execute()
  for (const id of ['r1', 'r2'])
    await db
      .insertInto('rooms')
      .values({
        ...{ id, spaceId: 's', alias: id, channelId: id, name: id, type: 'lesson', isPublic: false },
        ...{ isChatAllowed: true, isScreensharingAllowed: true, isFloorAllowed: false, creatorId: 'u', createdAt: 0 },
      } as never)
      .execute()
  const call = (id: string, roomId: string, startedAt: number, endedAt: number | null) =>
    db
      .insertInto('calls')
      .values({
        ...{ id, roomId, startedAt, endedAt, spaceId: 's', roomName: roomId, channelId: roomId },
        ...{ lastSeenAt: startedAt, emptySince: null, wasEnded: false },
      } as never)
      .execute()
  await call('c1', 'r1', 100, 200)
  await call('c2', 'r1', 300, null)
  await call('c3', 'r2', 150, 160)
  const times = { m1: 50, m2: 100, m3: 200, m4: 250, m5: 300, m6: 900 }
  for (const [id, createdAt] of Object.entries(times))
    await db
      .insertInto('messages')
      .values({ id, roomId: 'r1', person: 'user:u', name: 'U', role: 'user', text: id, createdAt })
      .execute()

  expect((await migrator.migrateToLatest()).error).toBeUndefined()
  const found = await db.selectFrom('callMessages').selectAll().orderBy('id').execute()
  expect(found.map(({ id, callId }) => [id, callId])).toEqual([
    ['m2', 'c1'],
    ['m3', 'c1'],
    // Written after the end of one call and before the next.
    ['m4', 'c1'],
    ['m5', 'c2'],
    ['m6', 'c2'],
  ])
  expect(found[0]).toMatchObject({ text: 'm2', createdAt: 100, isForHosts: false, isQuestion: false, answeredAt: null })
  // The previous release goes on with its own.
  expect(await db.selectFrom('messages').select('id').execute()).toHaveLength(6)
  await db.deleteFrom('rooms').where('id', '=', 'r1').execute()
  expect(await db.selectFrom('callMessages').select('id').execute()).toHaveLength(5)
})
