import { sql } from 'kysely'
import type { MessageFilter } from '../../contract/messages.ts'
import { newId, oldestId } from '../ids.ts'
import { deleteSome } from './batches.ts'
import { DEFAULT_LIMIT, page } from './page.ts'
import { type Db, isFalse, isTrue, type Row, type Trx } from './tables.ts'

export type CallMessage = Row<'callMessages'>
type Call = Pick<Row<'calls'>, 'id' | 'roomId' | 'startedAt'>

export const createMessage = (trx: Trx, message: Omit<CallMessage, 'id' | 'answeredAt'>): Promise<CallMessage> =>
  trx
    .insertInto('callMessages')
    .values({ id: newId(message.createdAt), ...message, answeredAt: null })
    .returningAll()
    .executeTakeFirstOrThrow()

// Reading.

/** What one may read of a call: all of it, or what is for everyone and what one wrote oneself. */
export interface Reader {
  seesHostMessages: boolean
  person: string
}

interface MessageQuery {
  filter?: MessageFilter
  limit?: number
  cursor?: string
}

const ofCall = (db: Db, callId: string, filter: MessageFilter | undefined) => {
  const messages = db.selectFrom('callMessages').selectAll().where('callId', '=', callId)
  if (filter === undefined) return messages
  const questions = messages.where('isQuestion', '=', isTrue)
  return filter === 'unanswered' ? questions.where('answeredAt', 'is', null) : questions
}

/** Each part is read by an index of its own and no further than one page. */
export const listMessages = async (
  db: Db,
  call: Call,
  { seesHostMessages, person }: Reader,
  { filter, ...query }: MessageQuery,
  order: 'asc' | 'desc' = 'desc',
) => {
  const forAll = ofCall(db, call.id, filter).where('isForHosts', '=', isFalse)
  const forHosts = ofCall(db, call.id, filter).where('isForHosts', '=', isTrue)
  const parts = [
    forAll,
    seesHostMessages ? forHosts : forHosts.where('person', '=', person),
    ...(filter === undefined ? [await fromPreviousRelease(db, call)] : []),
  ]
  const pages = await Promise.all(parts.map(part => page(part, 'id', order, query, ({ id }) => id)))
  const found = new Map(pages.flatMap(({ items }) => items).map(message => [message.id, message]))
  const sorted = [...found.values()].sort((one, other) => (one.id < other.id === (order === 'asc') ? -1 : 1))
  const items = sorted.slice(0, query.limit ?? DEFAULT_LIMIT)
  const isLast = items.length === sorted.length && pages.every(({ nextCursor }) => nextCursor === null)
  return { items, nextCursor: isLast ? null : (items.at(-1)?.id ?? null) }
}

/** Written while this and the previous release serve together: until the next call, as the migration has it. */
const fromPreviousRelease = async (db: Db, { id, roomId, startedAt }: Call) => {
  const next = await db
    .selectFrom('calls')
    .select('startedAt')
    .where('roomId', '=', roomId)
    .where('id', '>', id)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  const written = db
    .selectFrom('messages')
    .select(['id', sql.val(id).as('callId'), 'person', 'name', 'role', 'text', 'createdAt'])
    .select([sql<boolean>`0`.as('isForHosts'), sql<boolean>`0`.as('isQuestion'), sql<null>`null`.as('answeredAt')])
    .where('roomId', '=', roomId)
    .where('id', '>=', oldestId(startedAt))
  return (next ? written.where('id', '<', oldestId(next.startedAt)) : written) as unknown as ReturnType<typeof ofCall>
}

/** Participants in the call: those noted as moderators, and a person in all their tabs and devices. */
export const listModeratorsAnd = async (trx: Trx, { id, roomId }: Pick<Call, 'id' | 'roomId'>, person: string) => {
  const inside = trx
    .selectFrom('stays')
    .innerJoin('participants', 'participants.id', 'stays.participantId')
    .select(['participants.id', 'participants.roomId', 'participants.userId', 'participants.guestId'])
    .where('stays.leftAt', 'is', null)
  const moderators = inside.where('stays.callId', '=', id).where('stays.role', '=', sql.lit<'moderator'>('moderator'))
  // What is open is of this call.
  const inRoom = inside.where('participants.roomId', '=', roomId)
  const [, externalUserId] = /^external:(.*)$/s.exec(person) ?? []
  const own =
    externalUserId === undefined
      ? inRoom.where('participants.person', '=', person)
      : inRoom.where('participants.externalUserId', '=', externalUserId)
  const found = [...(await moderators.execute()), ...(await own.execute())]
  return [...new Map(found.map(participant => [participant.id, participant])).values()]
}

// Changing.

type FoundMessage = Pick<CallMessage, 'id' | 'person' | 'name' | 'isForHosts' | 'isQuestion'> & {
  /** null: the previous release wrote it, so it is of the last call. */
  callId: string | null
}

export const findMessage = async (trx: Trx, roomId: string, id: string): Promise<FoundMessage | undefined> => {
  const message = await trx
    .selectFrom('callMessages')
    .innerJoin('calls', 'calls.id', 'callMessages.callId')
    .selectAll('callMessages')
    .where('callMessages.id', '=', id)
    .where('calls.roomId', '=', roomId)
    .executeTakeFirst()
  if (message) return message
  const written = await trx
    .selectFrom('messages')
    .select(['id', 'person', 'name'])
    .where('id', '=', id)
    .where('roomId', '=', roomId)
    .executeTakeFirst()
  return written && { ...written, callId: null, isForHosts: false, isQuestion: false }
}

export const deleteMessage = async (trx: Trx, id: string) => {
  await trx.deleteFrom('callMessages').where('id', '=', id).execute()
  await trx.deleteFrom('messages').where('id', '=', id).execute()
}

/** Answered again, it keeps the time of the first. */
export const setAnswered = (trx: Trx, id: string, answeredAt: number | null): Promise<CallMessage> =>
  trx
    .updateTable('callMessages')
    .set(update => ({
      answeredAt: answeredAt === null ? null : update.fn.coalesce('answeredAt', update.val(answeredAt)),
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/**
 * Of a room about to be deleted: what the previous release has written since the migration goes to its call, in the way
 * of the migration, since it would go with the room.
 */
export const keepMessages = async (trx: Trx, roomId: string) => {
  const written = trx
    .selectFrom('messages')
    .select(['id', 'person', 'name', 'role', 'text', 'createdAt'])
    .select(of =>
      of
        .selectFrom('calls')
        .select('calls.id')
        .whereRef('calls.roomId', '=', 'messages.roomId')
        .whereRef('calls.startedAt', '<=', 'messages.createdAt')
        .orderBy('calls.id', 'desc')
        .limit(1)
        .as('callId'),
    )
    .where('roomId', '=', roomId)
    .as('written')
  const columns = ['id', 'callId', 'person', 'name', 'role', 'text', 'createdAt'] as const
  await trx
    .insertInto('callMessages')
    .columns([...columns, 'isForHosts', 'isQuestion'])
    .expression(
      trx
        .selectFrom(written)
        .select([...columns])
        .select([sql`0`.as('isForHosts'), sql`0`.as('isQuestion')])
        .where('callId', 'is not', null),
    )
    .onConflict(conflict => conflict.column('id').doNothing())
    .execute()
}

/** Ids grow with time: the oldest are found by their own index. */
export const forgetOldMessages = async (db: Db, before: number, batch?: number): Promise<boolean> => {
  const isOld = sql`"id" < ${oldestId(before)}`
  const isMore = await deleteSome(db, 'messages', 'id', isOld, batch)
  return (await deleteSome(db, 'callMessages', 'id', isOld, batch)) || isMore
}
