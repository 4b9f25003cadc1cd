import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { isPostgres } from './dialect.ts'
import { SchemaMismatch } from './failures.ts'
import { migrations, SERVES_SINCE } from './migrations.ts'
import type { Db, Trx } from './tables.ts'
import { liftTimeouts } from './timeouts.ts'

const servesSince = 'schema serves since'

/** Compared with what this release knows. Migrations it has never heard of: a newer release has been here. */
export const compareSchema = (applied: string[] | null): 'none' | 'older' | 'current' | 'newer' => {
  if (applied === null || applied.length === 0) return 'none'
  if (applied.some(name => !(name in migrations))) return 'newer'
  return applied.length < Object.keys(migrations).length ? 'older' : 'current'
}

const appliedTo = async (db: Db): Promise<string[] | null> => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return null
  const rows = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute()
  return rows.map(({ name }) => name)
}

export const schemaOf = async (db: Db) => compareSchema(await appliedTo(db))

/** For whatever works with the schema as it is. */
export const requireCurrentSchema = async (db: Db) => {
  const schema = await schemaOf(db)
  if (schema !== 'current') throw new SchemaMismatch(schema)
}

/** The first migration whose release is still served by the schema as it is. */
const servedSince = async (db: Db) => {
  const row = await db.selectFrom('installation').select('value').where('name', '=', servesSince).executeTakeFirst()
  return row?.value
}

/** One that is under way into this database holds all of its tables; SQLite is never copied into. */
const waitForCopy = async (trx: Trx) => {
  if (!isPostgres(trx)) return
  await liftTimeouts(trx)
  await sql`lock table installation in row exclusive mode`.execute(trx)
}

/**
 * Brings the schema up to date and says which migrations that took. On PostgreSQL one node does it, under a lock, and
 * the others wait. A newer schema that still serves this release is left as it is.
 */
export const migrate = async (db: Db): Promise<string[]> => {
  const schema = await schemaOf(db)
  if (schema === 'newer') {
    const since = await servedSince(db)
    if (since === undefined || !(since in migrations)) throw new SchemaMismatch(schema)
    return []
  }
  const applied = schema === 'current' ? [] : await applyMigrations(db)
  await db.transaction().execute(async trx => {
    await waitForCopy(trx)
    // Most starts find it as it is, and need not write.
    if ((await servedSince(trx)) === SERVES_SINCE) return
    await trx
      .insertInto('installation')
      .values({ name: servesSince, value: SERVES_SINCE })
      .onConflict(conflict => conflict.column('name').doUpdateSet({ value: SERVES_SINCE }))
      .execute()
  })
  return applied
}

const applyMigrations = async (db: Db) => {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error) throw error
  return results.map(({ migrationName }) => migrationName)
}
