import { sql } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import type { RecordNotice } from '../../contract/records.ts'
import { isId, newId, oldestId } from '../ids.ts'
import { isRecordedFromStart } from '../rules.ts'
import { BATCH } from './batches.ts'
import { isPostgres } from './dialect.ts'
import { page } from './page.ts'
import { findOpenStream } from './streams.ts'
import type { Db, Row, Trx } from './tables.ts'

type Record = Row<'records'>

/** Of a call that is held. */
export const createRecord = async (
  trx: Trx,
  { id: callId, spaceId, roomId, roomName, channelId }: Row<'calls'>,
  now: number,
): Promise<Record | 'already_recording'> =>
  (await trx
    .insertInto('records')
    .values({
      id: newId(now),
      spaceId,
      roomId,
      roomName,
      callId,
      channelId,
      state: 'starting',
      reason: null,
      workerId: null,
      leaseUntil: null,
      createdAt: now,
      startedAt: null,
      stopAt: null,
      endedAt: null,
      finishedAt: null,
      durationMs: null,
      size: 0,
      place: null,
      picture: null,
      deletedAt: null,
    })
    .onConflict(conflict => conflict.column('roomId').where('endedAt', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirst()) ?? 'already_recording'

/** A recording that is cut short is followed by another, but not without end. */
const MOST_OF_A_CALL = 5

/** Of a call that is held, if its room records calls from their start. null: it doesn't, or the call is recorded already. */
export const createAutoRecord = async (
  trx: Trx,
  call: Row<'calls'>,
  now: number,
): Promise<Record | 'too_many' | null> => {
  const room = await trx
    .selectFrom('rooms')
    .select(['isRecordAllowed', 'isAutoRecordingAllowed'])
    .where('id', '=', call.roomId)
    .executeTakeFirst()
  if (!room || !isRecordedFromStart(room)) return null
  const earlier = await trx.selectFrom('records').select('id').where('callId', '=', call.id).execute()
  if (earlier.length >= MOST_OF_A_CALL) return 'too_many'
  const record = await createRecord(trx, call, now)
  return record === 'already_recording' ? null : record
}

/** Of a call that is held, and that somebody has come back to: its recording has ended if nobody was there for a while. */
export const resumeAutoRecord = async (trx: Trx, call: Row<'calls'>, now: number) => {
  const last = await trx
    .selectFrom('records')
    .select(['stopAt', 'reason'])
    .where('callId', '=', call.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last?.stopAt === null && last.reason === null) await createAutoRecord(trx, call, now)
}

/** Whether people are told that the call is recorded, or will be. */
export const findRecordNotice = async (
  db: Db,
  room: { id: string } & Parameters<typeof isRecordedFromStart>[0],
): Promise<RecordNotice | null> => {
  if (await findOpenRecord(db, room.id)) return 'now'
  if (!isRecordedFromStart(room)) return null
  // A call that goes on without being recorded was begun before, or its recording was stopped.
  const call = db.selectFrom('calls').select('id').where('roomId', '=', room.id).where('endedAt', 'is', null)
  return (await call.executeTakeFirst()) ? null : 'from_start'
}

/** The one that goes on in the room, or is about to. */
export const findOpenRecord = (db: Db, roomId: string) =>
  db.selectFrom('records').selectAll().where('roomId', '=', roomId).where('endedAt', 'is', null).executeTakeFirst()

export const listRecords = (db: Db, roomId: string, { callId, ...query }: PageQuery & { callId?: string }) =>
  page(
    db
      .selectFrom('records')
      .selectAll()
      .where('roomId', '=', roomId)
      .where('deletedAt', 'is', null)
      .$if(callId !== undefined, of => of.where('callId', '=', callId ?? '')),
    'records.id',
    'desc',
    query,
    record => record.id,
  )

/** null: in any room. */
export const findRecord = async (db: Db, roomId: string | null, id: string): Promise<Record | undefined> => {
  const record = isId(id)
    ? await db.selectFrom('records').selectAll().where('id', '=', id).where('deletedAt', 'is', null).executeTakeFirst()
    : undefined
  return record && (roomId === null || record.roomId === roomId) ? record : undefined
}

/** How many recordings the space has, and how many bytes they take. null: all spaces. */
export const recordUsage = async (db: Db, spaceId: string | null): Promise<{ count: number; size: number }> => {
  const { count, size } = await db
    .selectFrom('records')
    .select(of => [of.fn.countAll().as('count'), of.fn.sum<number | null>('size').as('size')])
    .$if(spaceId !== null, of => of.where('spaceId', '=', spaceId ?? ''))
    .where('deletedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return { count: Number(count), size: Number(size ?? 0) }
}

/** Undefined: there is none to stop, or it was asked to stop before. */
export const requestStop = async (trx: Trx, roomId: string, now: number): Promise<Record | undefined> =>
  trx
    .updateTable('records')
    .set({ stopAt: now })
    .where('roomId', '=', roomId)
    .where('endedAt', 'is', null)
    .where('stopAt', 'is', null)
    .returningAll()
    .executeTakeFirst()

// Deleting. Files are removed by the storage, which then forgets the rows.

const deleted = (now: number) => {
  const orNow = (column: string) => sql<number>`coalesce(${sql.ref(column)}, cast(${now} as bigint))`
  return { deletedAt: now, endedAt: orNow('endedAt'), finishedAt: orNow('finishedAt') }
}

export const deleteRecord = async (trx: Trx, id: string, now: number) => {
  await trx.updateTable('records').set(deleted(now)).where('id', '=', id).where('deletedAt', 'is', null).execute()
}

export const deleteRecordsOf = async (
  trx: Trx,
  { column, value }: { column: 'roomId' | 'spaceId'; value: string },
  now: number,
) => {
  await trx.updateTable('records').set(deleted(now)).where(column, '=', value).where('deletedAt', 'is', null).execute()
}

/** Those that had ended before then. Says whether there may be more. */
export const deleteOldRecords = async (db: Db, before: number, now: number, batch = BATCH): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('records')
    .set(deleted(now))
    .where('id', 'in', of =>
      of
        .selectFrom('records')
        .select('id')
        // None ended before it began, and ids grow with time.
        .where('id', '<', oldestId(before))
        .where('finishedAt', '<', before)
        .where('deletedAt', 'is', null)
        .limit(batch),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows) === batch
}

export const listDeletedRecords = (db: Db) =>
  db.selectFrom('records').select(['id', 'place', 'picture']).where('deletedAt', 'is not', null).limit(BATCH).execute()

export const forgetRecord = async (db: Db, id: string) => {
  await db.deleteFrom('records').where('id', '=', id).where('deletedAt', 'is not', null).execute()
}

// The work of recorders.

/** With what is to be known of the call. */
export const listUnfinished = (db: Db) =>
  db
    .selectFrom('records')
    .leftJoin('calls', 'calls.id', 'records.callId')
    .selectAll('records')
    .select(['calls.endedAt as callEndedAt', 'calls.emptySince as callEmptySince'])
    .where('records.finishedAt', 'is', null)
    .orderBy('records.id')
    .execute()

interface Lease {
  workerId: string
  leaseUntil: number
}

/** Undefined: another was first, or it is held. */
export const claimRecord = (db: Db, id: string, { workerId, leaseUntil }: Lease, now: number) =>
  db
    .updateTable('records')
    .set({ workerId, leaseUntil })
    .where('id', '=', id)
    .where('finishedAt', 'is', null)
    .where(of => of.or([of('workerId', 'is', null), of('leaseUntil', '<', now)]))
    .returningAll()
    .executeTakeFirst()

/** Of one that the worker holds. Undefined: it holds it no longer. */
export const updateHeld = (
  db: Db,
  id: string,
  workerId: string,
  change: Partial<Omit<Record, 'id' | 'workerId' | 'deletedAt'>>,
) =>
  db
    .updateTable('records')
    .set(change)
    .where('id', '=', id)
    .where('workerId', '=', workerId)
    .where('finishedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()

/** One that no recorder has taken. False: one has, or it is gone. */
export const withdrawRecord = async (db: Db, id: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('records')
    .where('id', '=', id)
    .where('workerId', 'is', null)
    .where('finishedAt', 'is', null)
    .executeTakeFirst()
  return Number(numDeletedRows) > 0
}

/** One that no recorder has taken for long. Undefined: one has. */
export const giveUpRecord = (trx: Trx, id: string, end: Pick<Record, 'state' | 'reason'>, now: number) =>
  trx
    .updateTable('records')
    .set({ ...end, endedAt: now, finishedAt: now })
    .where('id', '=', id)
    .where('workerId', 'is', null)
    .where('finishedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()

/** On SQLite there is one node: what is held when it starts was held by one that is no more. */
export const endLeases = async (db: Db) => {
  if (isPostgres(db)) return
  await db.updateTable('records').set({ leaseUntil: 0 }).where('finishedAt', 'is', null).execute()
}

/** Whether a recorder may be in the channel: something there is being recorded or streamed. */
export const isCaptured = async (db: Db, channelId: string): Promise<boolean> => {
  const room = await db.selectFrom('rooms').select('id').where('channelId', '=', channelId).executeTakeFirst()
  if (!room) return false
  return ((await findOpenRecord(db, room.id)) ?? (await findOpenStream(db, room.id))) !== undefined
}
