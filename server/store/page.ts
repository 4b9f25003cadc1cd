import type { SelectQueryBuilder } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'

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
  const from = cursor === undefined ? query : query.where(key, order === 'asc' ? '>' : '<', cursor as never)
  const rows = (await from
    .orderBy(key, order)
    .limit(limit + 1)
    .execute()) as O[]
  return cut(rows, limit, cursorOf)
}

export const cut = <O>(rows: O[], limit: number, cursorOf: (row: O) => string): Paged<O> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last ? cursorOf(last) : null }
}

export const mapPage = <A, B>({ items, nextCursor }: Paged<A>, map: (item: A) => B): Paged<B> => ({
  items: items.map(map),
  nextCursor,
})
