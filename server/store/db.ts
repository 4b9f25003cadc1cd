import { join } from 'node:path'
import {
  type Compilable,
  type CompiledQuery,
  type DialectAdapter,
  Kysely,
  PostgresAdapter,
  type QueryResult,
} from 'kysely'
import type { Config } from '../config.ts'
import { migrate } from './migrations.ts'
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

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Of a database in this very process: a read needs no connection to be handed out and taken back. */
export interface QuickAdapter extends DialectAdapter {
  /** null: it is no read. */
  readNow?: <R>(query: CompiledQuery) => QueryResult<R> | null
}

/** For queries on the hot path: built and compiled once, then only bound. */
export const prepared = <P extends object, O>(
  build: (db: Db, param: <K extends keyof P & string>(name: K) => P[K]) => Compilable<O>,
) => {
  const compiled = new WeakMap<DialectAdapter, CompiledQuery<O>>()
  return async (db: Db, values: P): Promise<QueryResult<O>> => {
    const executor = db.getExecutor()
    let query = compiled.get(executor.adapter)
    if (!query) {
      query = build(db, name => new Placeholder(name) as P[typeof name]).compile()
      compiled.set(executor.adapter, query)
    }
    const parameters = query.parameters.map(value =>
      value instanceof Placeholder ? values[value.name as keyof P] : value,
    )
    const bound = { ...query, parameters }
    const { readNow } = executor.adapter as QuickAdapter
    return (!db.isTransaction && readNow?.<O>(bound)) || db.executeQuery<O>(bound)
  }
}
