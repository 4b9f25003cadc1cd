import type { PageQuery } from '../../contract/common.ts'
import { newId } from '../ids.ts'
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
