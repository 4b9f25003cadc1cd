import { join } from 'node:path'
import { Kysely, PostgresAdapter } from 'kysely'
import type { Config } from '../config.ts'
import { migrate } from './schema.ts'
import type { Db, Tables, Trx } from './tables.ts'

export const databaseFile = (config: Config) => join(config.data, 'lectern.db')

/** As it is, without bringing it up to date. */
export const connectDb = async (config: Config): Promise<Db> => {
  // Only one of the drivers is ever loaded.
  const dialect = config.databaseUrl
    ? (await import('./postgres.ts')).postgresDialect(config.databaseUrl)
    : (await import('./sqlite.ts')).sqliteDialect(databaseFile(config))
  return new Kysely<Tables>({ dialect })
}

export const openDb = async (config: Config): Promise<Db> => {
  const db = await connectDb(config)
  try {
    await migrate(db)
  } catch (error) {
    await db.destroy()
    throw error
  }
  return db
}

/** It runs transactions side by side, where SQLite lets them take turns. */
export const isPostgres = (db: Db) => db.getExecutor().adapter instanceof PostgresAdapter

const afterCommit = new WeakMap<Trx, (() => void)[]>()

/** Runs once the transaction is on disk; never if it is not. */
export const onCommit = (trx: Trx, act: () => void) => {
  const acts = afterCommit.get(trx)
  if (acts) acts.push(act)
  else afterCommit.set(trx, [act])
}

/** PostgreSQL asks for these to be run again: it ended one of several that stood in each other's way. */
const isToRepeat = (error: unknown) => ['40001', '40P01'].includes((error as { code?: string }).code ?? '')
const MOST_RUNS = 3

/** `work` may run more than once, and only its last run counts. */
export const transact = async <T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> => {
  for (let run = 1; ; run++) {
    let done: Trx | undefined
    try {
      const result = await db.transaction().execute(trx => {
        done = trx
        return work(trx)
      })
      for (const act of (done && afterCommit.get(done)) ?? []) act()
      return result
    } catch (error) {
      if (run === MOST_RUNS || !isToRepeat(error)) throw error
    }
  }
}
