import { sql } from 'kysely'
import { isPostgres, isShared } from './dialect.ts'
import { preparedForNext } from './prepared.ts'
import type { Db, Trx } from './tables.ts'

/*
 * Always in this order, so that no two transactions wait for each other: accounts, session, spaces, single rows, and
 * of these a call before what belongs to it. On SQLite write transactions take turns anyway.
 */

/** Changes that end accounts or sessions take turns: each touches the sessions of others while it holds its own. */
export const lockAccounts = async (trx: Trx) => {
  if (isPostgres(trx)) await sql`select pg_advisory_xact_lock(5327160)`.execute(trx)
}

/**
 * Holds still what a change relies on until it commits: the caller's session and the space. A change of who may do
 * what takes the space for itself (`exclusive`), all others share it, so that nothing is done on a standing that has
 * just ended. Without a space, what it takes for itself are the accounts.
 */
export const lockStanding = async (
  trx: Trx,
  { sessionId, spaceId }: { sessionId?: string | undefined; spaceId?: string | undefined },
  exclusive: boolean,
) => {
  if (!isPostgres(trx)) return
  if (exclusive && !spaceId) await lockAccounts(trx)
  const rows = { sessionId: sessionId ?? null, spaceId: spaceId ?? null }
  if (sessionId || spaceId) await (exclusive ? takeSpace : isShared(trx) ? shareSpaceNow : shareSpace)(trx, rows)
}

/** In this order, and none of those that are null. In a shared transaction its values may be those of many. */
const lockRows = (strength: 'share' | 'update', otherwise: '' | 'nowait' = '') =>
  preparedForNext<{ sessionId: string | null; spaceId: string | null }>((db, param) => {
    const wanted = sql`(values (${param('sessionId')}::text, ${param('spaceId')}::text))`
    const session = sql`(select id from sessions where id = wanted.session for share ${sql.raw(otherwise)})`
    const space = sql`(select id from spaces where id = wanted.space for ${sql.raw(`${strength} ${otherwise}`)})`
    return db
      .selectFrom(wanted.as<'wanted'>(sql`wanted (session, space)`))
      .select([session.as('session'), space.as('space')])
  })
const shareSpace = lockRows('share')
const takeSpace = lockRows('update')
const shareSpaceNow = lockRows('share', 'nowait')

/** Takes spaces for itself, for a change that no standing in one space led to. */
export const lockSpaces = async (trx: Trx, spaceIds: string[]) => {
  for (const spaceId of spaceIds.toSorted()) await lockStanding(trx, { spaceId }, true)
}

/** Whether the row is there; if so it stays, as it is, until the transaction ends. */
export const hold = async (trx: Trx, table: 'users' | 'clients' | 'sessions', id: string): Promise<boolean> => {
  const row = trx.selectFrom(table).select('id').where('id', '=', id)
  // The holder of a session changes it, and two transactions that share a row can't both change it.
  const held = isPostgres(trx) ? (table === 'sessions' ? row.forUpdate() : row.forShare()) : row
  return (await held.executeTakeFirst()) !== undefined
}

/** Locks the rows that the query finds until the transaction ends, and reads them as last committed. */
export const held = <Q extends { forUpdate: () => Q }>(db: Db, query: Q): Q =>
  isPostgres(db) ? query.forUpdate() : query

/** Keeps the rows that the query finds as they are until the transaction ends; others may do the same meanwhile. */
export const shared = <Q extends { forShare: () => Q }>(trx: Trx, query: Q): Q =>
  isPostgres(trx) ? query.forShare() : query
