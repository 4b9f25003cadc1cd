import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { PageQuery, SearchQuery } from '../../contract/common.ts'
import { endOfPrefix, nameKey } from './nameKeys.ts'

export const DEFAULT_LIMIT = 50

interface Paged<T> {
  items: T[]
  nextCursor: string | null
}

/** A row of what a list function gives. */
export type RowOf<L extends (...query: never[]) => Promise<Paged<unknown>>> = Awaited<ReturnType<L>>['items'][number]

/**
 * One page by keyset: `key` is a unique column that ids of ours fill, and the last one seen is the cursor. One row more
 * than asked for is read, to know whether there is a next page.
 */
export const page = async <DB, TB extends keyof DB, O extends object>(
  query: SelectQueryBuilder<DB, TB, O>,
  // biome-ignore lint/suspicious/noExplicitAny: Kysely's reference types cannot be named over a generic query
  key: any,
  order: 'asc' | 'desc',
  { limit = DEFAULT_LIMIT, cursor }: PageQuery,
  cursorOf: (row: O) => string,
): Promise<Paged<O>> => {
  const from = cursor === undefined ? query : query.where(key, order === 'asc' ? '>' : '<', placeAt(cursor).id as never)
  const rows = (await from
    .orderBy(key, order)
    .limit(limit + 1)
    .execute()) as O[]
  return cut(rows, limit, cursorOf)
}

/** What is searched for, as it is compared; null: nothing, so that all are meant. */
export const wantedKey = ({ q }: Pick<SearchQuery, 'q'>) => nameKey(q ?? '') || null

interface NamePlace {
  key: string
  id: string
}

/** The cursor of a search: an id, and the key by which it has its place. */
const cursorAt = ({ key, id }: NamePlace) => `${id}.${Buffer.from(key).toString('base64url')}`
export const placeAt = (cursor: string): NamePlace => ({
  id: cursor.slice(0, 36),
  key: Buffer.from(cursor.slice(37), 'base64url').toString().replaceAll('\0', ''),
})

/** Whether it begins with what is wanted: a range, so that an index finds it. */
export const beginsWith = (key: RawBuilder<string>, wanted: string) => {
  const end = endOfPrefix(wanted)
  return end === null ? sql<boolean>`${key} >= ${wanted}` : sql<boolean>`(${key} >= ${wanted} and ${key} < ${end})`
}

/** Only those whose key begins with what is wanted, after the cursor. */
export const whereNamed = <DB, TB extends keyof DB, O extends object>(
  query: SelectQueryBuilder<DB, TB, O>,
  { key, id }: { key: string; id: string },
  order: 'asc' | 'desc',
  wanted: string,
  cursor: string | undefined,
): SelectQueryBuilder<DB, TB, O> => {
  const keys = sql.ref<string>(key)
  const named = query.where(beginsWith(keys, wanted))
  if (cursor === undefined) return named
  const last = placeAt(cursor)
  return named.where(
    sql<boolean>`(${keys}, ${sql.ref(id)}) ${sql.raw(order === 'asc' ? '>' : '<')} (${last.key}, ${last.id})`,
  )
}

/** One page of what is named so, in the order of the names. */
export const pageNamed = async <DB, TB extends keyof DB, O extends object>(
  query: SelectQueryBuilder<DB, TB, O>,
  columns: { key: string; id: string },
  order: 'asc' | 'desc',
  wanted: string,
  { limit = DEFAULT_LIMIT, cursor }: SearchQuery,
  placeOf: (row: O) => NamePlace,
): Promise<Paged<O>> => {
  const rows = await whereNamed(query, columns, order, wanted, cursor)
    .orderBy(sql.ref(columns.key), order)
    .orderBy(sql.ref(columns.id), order)
    .limit(limit + 1)
    .execute()
  return cutNamed(rows as O[], limit, placeOf)
}

export const cutNamed = <O>(rows: O[], limit: number, placeOf: (row: O) => NamePlace) =>
  cut(rows, limit, row => cursorAt(placeOf(row)))

export const cut = <O>(rows: O[], limit: number, cursorOf: (row: O) => string): Paged<O> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last ? cursorOf(last) : null }
}

export const mapPage = <A, B>({ items, nextCursor }: Paged<A>, map: (item: A) => B): Paged<B> => ({
  items: items.map(map),
  nextCursor,
})
