import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from 'kysely'
import type { Db } from './tables.ts'

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A read outside of transactions needs no connection handed out to it alone. */
export interface QuickAdapter extends DialectAdapter {
  /** null: it is no read. */
  readNow?: <R>(query: CompiledQuery) => QueryResult<R> | Promise<QueryResult<R>> | null
}

export type Build<P, O> = (db: Db, param: <K extends keyof P & string>(name: K) => P[K]) => Compilable<O>

const SENT_WITH_NEXT = '/* sent with the next */ '
export const isSentWithNext = (text: string) => text.startsWith(SENT_WITH_NEXT)

const FINDS_ONE = '/* finds one */ '
export const findsOne = (text: string) => text.startsWith(FINDS_ONE)

export const isMarked = (text: string) => text.startsWith('/*')

const startsWith = (word: string) => new RegExp(`^(?:/\\*.*?\\*/ )?${word}\\b`)
const [select, insert] = [startsWith('select'), startsWith('insert')]
/** It may still hold the rows it reads. */
export const isRead = (text: string) => select.test(text)
export const isInsert = (text: string) => insert.test(text)

/**
 * For a statement in a transaction whose result nobody looks at. On PostgreSQL it goes out together with the next one,
 * which fails with it, and so costs no round trip of its own.
 */
export const preparedForNext = <P extends object>(build: Build<P, unknown>) => prepared(build, SENT_WITH_NEXT)

/**
 * For a read that finds one row or none by strings and whole numbers. On PostgreSQL several that are asked at one moment go
 * out as one, so no column may be called `asker`.
 */
export const preparedToFind = <P extends object, O>(build: Build<P, O>) => prepared(build, FINDS_ONE)

/** For queries on the hot path: built and compiled once, then only bound. */
export const prepared = <P extends object, O>(build: Build<P, O>, mark = '') => {
  const compiled = new WeakMap<DialectAdapter, CompiledQuery<O>>()
  return async (db: Db, values: P): Promise<QueryResult<O>> => {
    const executor = db.getExecutor()
    let query = compiled.get(executor.adapter)
    if (!query) {
      const { sql, ...rest } = build(db, name => new Placeholder(name) as P[typeof name]).compile()
      query = { ...rest, sql: mark + sql }
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
