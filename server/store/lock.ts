import { PostgresAdapter } from 'kysely'
import type { Trx } from './tables.ts'

/**
 * Holds still what a change relies on until it commits: the caller's session and the space. A change of who may do
 * what takes the space for itself (`exclusive`), all others share it, so that nothing is done on a standing that has
 * just ended. On SQLite write transactions take turns anyway.
 */
export const lockStanding = async (
  trx: Trx,
  { sessionId, spaceId }: { sessionId?: string | undefined; spaceId?: string | undefined },
  exclusive: boolean,
) => {
  if (!(trx.getExecutor().adapter instanceof PostgresAdapter)) return
  if (sessionId) await trx.selectFrom('sessions').select('id').where('id', '=', sessionId).forShare().execute()
  if (spaceId) {
    const space = trx.selectFrom('spaces').select('id').where('id', '=', spaceId)
    await (exclusive ? space.forUpdate() : space.forShare()).execute()
  }
}
