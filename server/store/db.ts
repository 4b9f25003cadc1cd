import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely } from 'kysely'
import type { Config } from '../config.ts'
import { sharing } from './dialect.ts'
import { isToRepeat, UndoneWithOthers } from './failures.ts'
import type { PoolOptions } from './postgres.ts'
import { migrate } from './schema.ts'
import type { Db, Tables, Trx } from './tables.ts'

export const databaseFile = (config: Config) => join(config.data, 'lectern.db')

// Only one of the drivers is ever loaded.
const connectPostgres = async (address: string, options: PoolOptions): Promise<Db> =>
  new Kysely<Tables>({ dialect: (await import('./postgres.ts')).postgresDialect(address, options) })

const connectSqlite = async (file: string): Promise<Db> =>
  new Kysely<Tables>({ dialect: (await import('./sqlite.ts')).sqliteDialect(file) })

/** As it is, without bringing it up to date. */
export const connectDb = (config: Config): Promise<Db> =>
  config.databaseUrl
    ? connectPostgres(config.databaseUrl, { connections: config.databasePool, acquireTimeoutMs: 5000 })
    : connectSqlite(databaseFile(config))

/**
 * The same database for work that nobody waits for, over connections of its own, so that no request waits for them. It
 * comes in hundreds at once, and can wait longer. SQLite has one connection that writes, and it is shared.
 */
export const connectBackground = async (config: Config, db: Db): Promise<Db> =>
  config.databaseUrl
    ? connectPostgres(config.databaseUrl, { connections: config.databaseBackgroundPool, acquireTimeoutMs: 15_000 })
    : db

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

const afterCommit = new WeakMap<Trx, (() => void)[]>()

/** Runs once the transaction is on disk; never if it is not. */
export const onCommit = (trx: Trx, act: () => void) => {
  const acts = afterCommit.get(trx)
  if (acts) acts.push(act)
  else afterCommit.set(trx, [act])
}

const MAX_TRIES = 5
/** Each time twice as long, and never the same for those who stood in each other's way. */
const pauseAfter = (run: number) => 5 * 2 ** run * (1 + Math.random())

/**
 * `work` may run more than once, and only its last run counts. `onlyAdds`: rows, and depends on none that others add;
 * it is tried first in one transaction with them.
 */
export const transact = async <T>(
  db: Db,
  work: (trx: Trx) => Promise<T>,
  { onlyAdds = false }: { onlyAdds?: boolean | undefined } = {},
): Promise<T> => {
  for (let run = 1; ; run++) {
    let done: Trx | undefined
    try {
      const result = await (onlyAdds && run === 1 ? sharing(db) : db).transaction().execute(trx => {
        done = trx
        return work(trx)
      })
      for (const act of (done && afterCommit.get(done)) ?? []) act()
      return result
    } catch (error) {
      if (run === MAX_TRIES || !isToRepeat(error)) throw error
      // At once: the next run is alone or, on SQLite, is rolled back alone.
      if (!(error instanceof UndoneWithOthers)) await sleep(pauseAfter(run))
    }
  }
}
