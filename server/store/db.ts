import { join } from 'node:path'
import { type Compilable, type CompiledQuery, type DialectAdapter, Kysely, PostgresAdapter } from 'kysely'
import type { Config } from '../config.ts'
import { migrate } from './migrations.ts'
import type { Db, Tables, Trx } from './tables.ts'

export const databaseFile = (config: Config) => join(config.data, 'lectern.db')

export const openDb = async (config: Config): Promise<Db> => {
  // Only one of the drivers is ever loaded.
  const dialect = config.databaseUrl
    ? (await import('./postgres.ts')).postgresDialect(config.databaseUrl)
    : (await import('./sqlite.ts')).sqliteDialect(databaseFile(config))
  const db = new Kysely<Tables>({ dialect })
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

export const transact = async <T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> => {
  let done: Trx | undefined
  const result = await db.transaction().execute(trx => {
    done = trx
    return work(trx)
  })
  for (const act of (done && afterCommit.get(done)) ?? []) act()
  return result
}

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** For queries on the hot path: built and compiled once, then only bound. */
export const prepared = <P extends object, O>(
  build: (db: Db, param: <K extends keyof P & string>(name: K) => P[K]) => Compilable<O>,
) => {
  const compiled = new WeakMap<DialectAdapter, CompiledQuery<O>>()
  return async (db: Db, values: P): Promise<O[]> => {
    const executor = db.getExecutor()
    let query = compiled.get(executor.adapter)
    if (!query) {
      query = build(db, name => new Placeholder(name) as P[typeof name]).compile()
      compiled.set(executor.adapter, query)
    }
    const parameters = query.parameters.map(value =>
      value instanceof Placeholder ? values[value.name as keyof P] : value,
    )
    return (await db.executeQuery<O>({ ...query, parameters })).rows
  }
}
