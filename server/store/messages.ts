import type { PageQuery } from '../../contract/common.ts'
import { newId, oldestId } from '../ids.ts'
import { page } from './page.ts'
import type { Db, Row, Trx } from './tables.ts'

export const createMessage = (trx: Trx, message: Omit<Row<'messages'>, 'id'>) =>
  trx
    .insertInto('messages')
    .values({ id: newId(), ...message })
    .returningAll()
    .executeTakeFirstOrThrow()

export const listMessages = (db: Db, roomId: string, query: PageQuery) =>
  page(db.selectFrom('messages').selectAll().where('roomId', '=', roomId), 'messages.id', 'desc', query, ({ id }) => id)

export const deleteMessage = async (trx: Trx, roomId: string, id: string): Promise<boolean> =>
  (await trx
    .deleteFrom('messages')
    .where('id', '=', id)
    .where('roomId', '=', roomId)
    .returning('id')
    .executeTakeFirst()) !== undefined

/** In small batches, so that nobody waits long for the database. Says whether there may be more. */
export const forgetOldMessages = async (db: Db, before: number, batch = 500): Promise<boolean> => {
  // Ids grow with time: the oldest are found by their own index.
  const old = db.selectFrom('messages').select('id').where('id', '<', oldestId(before)).orderBy('id').limit(batch)
  const gone = await db.deleteFrom('messages').where('id', 'in', old).returning('id').execute()
  return gone.length === batch
}
