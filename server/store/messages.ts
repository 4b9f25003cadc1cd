import { sql } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import { newId, oldestId } from '../ids.ts'
import { deleteSome } from './batches.ts'
import { page } from './page.ts'
import type { Db, Row, Trx } from './tables.ts'

export const createMessage = (trx: Trx, message: Omit<Row<'messages'>, 'id'>) =>
  trx
    .insertInto('messages')
    .values({ id: newId(message.createdAt), ...message })
    .returningAll()
    .executeTakeFirstOrThrow()

export const listMessages = (db: Db, roomId: string, query: PageQuery) =>
  page(db.selectFrom('messages').selectAll().where('roomId', '=', roomId), 'messages.id', 'desc', query, ({ id }) => id)

/** Whose it was; undefined: there is no such message. */
export const deleteMessage = (trx: Trx, roomId: string, id: string) =>
  trx.deleteFrom('messages').where('id', '=', id).where('roomId', '=', roomId).returning('name').executeTakeFirst()

/** Ids grow with time: the oldest are found by their own index. */
export const forgetOldMessages = (db: Db, before: number, batch?: number) =>
  deleteSome(db, 'messages', 'id', sql`"id" < ${oldestId(before)}`, batch)
