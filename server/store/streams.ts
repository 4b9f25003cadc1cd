import { sql } from 'kysely'
import { newId } from '../ids.ts'
import { isPostgres } from './dialect.ts'
import type { Db, Row, Trx } from './tables.ts'

type Stream = Row<'streams'>

/** A piece of a stream that is stored. */
export interface Segment {
  sequence: number
  /** Those of one part follow each other without a gap. */
  part: number
  durationMs: number
  /** Where the storage keeps it. */
  place: string
  addedAt: number
}

export const segmentsOf = ({ segments }: Pick<Stream, 'segments'>): Segment[] => JSON.parse(segments)

/** Of a call that is held. `target`: the address is encrypted for the id that it is given. */
export const createStream = async (
  trx: Trx,
  { id: callId, spaceId, roomId, roomName, channelId }: Row<'calls'>,
  target: { host: string; seal: (id: string) => string } | null,
  now: number,
): Promise<Stream | 'already_streaming'> => {
  const id = newId(now)
  const stream = {
    id,
    spaceId,
    roomId,
    roomName,
    callId,
    channelId,
    workerId: null,
    leaseUntil: null,
    createdAt: now,
    startedAt: null,
    stopAt: null,
    endedAt: null,
    sealedUrl: target?.seal(id) ?? null,
    targetHost: target?.host ?? null,
    targetState: target && ('connecting' as const),
    segments: '[]',
  }
  return (
    (await trx
      .insertInto('streams')
      .values(stream)
      .onConflict(conflict => conflict.column('roomId').where('stopAt', 'is', null).doNothing())
      .returningAll()
      .executeTakeFirst()) ?? 'already_streaming'
  )
}

/** The one that goes on in the room, or is about to. */
export const findOpenStream = (db: Db, roomId: string) =>
  db.selectFrom('streams').selectAll().where('roomId', '=', roomId).where('stopAt', 'is', null).executeTakeFirst()

/** Whether people are told that the call is streamed. */
export const isStreamed = async (db: Db, roomId: string) => (await findOpenStream(db, roomId)) !== undefined

/** Also one that has ended, as long as there is something of it. */
export const findStream = (db: Db, id: string) =>
  db.selectFrom('streams').selectAll().where('id', '=', id).executeTakeFirst()

const stopped = (now: number) => ({ stopAt: now, sealedUrl: null })

/** Undefined: there is none to stop. */
export const stopStream = (trx: Trx, roomId: string, now: number): Promise<Stream | undefined> =>
  trx
    .updateTable('streams')
    .set(stopped(now))
    .where('roomId', '=', roomId)
    .where('stopAt', 'is', null)
    .returningAll()
    .executeTakeFirst()

export const stopStreamsOf = async (
  trx: Trx,
  { column, value }: { column: 'roomId' | 'spaceId'; value: string },
  now: number,
) => {
  await trx.updateTable('streams').set(stopped(now)).where(column, '=', value).where('stopAt', 'is', null).execute()
}

// The work of those who stream.

/** All there are, with what is to be known of their calls. */
export const listStreams = (db: Db) =>
  db
    .selectFrom('streams')
    .leftJoin('calls', 'calls.id', 'streams.callId')
    .selectAll('streams')
    .select(['calls.endedAt as callEndedAt', 'calls.emptySince as callEmptySince'])
    .orderBy('streams.id')
    .execute()

interface Lease {
  workerId: string
  leaseUntil: number
}

/** Undefined: another was first, or it is held. */
export const claimStream = (db: Db, id: string, lease: Lease, now: number) =>
  db
    .updateTable('streams')
    .set(lease)
    .where('id', '=', id)
    .where('stopAt', 'is', null)
    .where(of => of.or([of('workerId', 'is', null), of('leaseUntil', '<', now)]))
    .returningAll()
    .executeTakeFirst()

/** Of one that the worker holds. Undefined: it holds it no longer. */
export const updateHeldStream = (
  db: Db,
  id: string,
  workerId: string,
  change: Partial<Omit<Stream, 'id' | 'channelId'>>,
) =>
  db
    .updateTable('streams')
    .set(change)
    .where('id', '=', id)
    .where('workerId', '=', workerId)
    .where('endedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()

/** One that nobody holds. Undefined: somebody does, or it has ended. */
export const endStream = (trx: Trx, id: string, now: number) =>
  trx
    .updateTable('streams')
    .set({ stopAt: sql`coalesce("stopAt", cast(${now} as bigint))`, endedAt: now, sealedUrl: null })
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .where(of => of.or([of('workerId', 'is', null), of('leaseUntil', '<', now)]))
    .returningAll()
    .executeTakeFirst()

/** One that nobody has taken. False: somebody has, or it is gone. */
export const withdrawStream = async (db: Db, id: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('streams')
    .where('id', '=', id)
    .where('workerId', 'is', null)
    .where('endedAt', 'is', null)
    .executeTakeFirst()
  return Number(numDeletedRows) > 0
}

export const forgetStream = async (db: Db, id: string) => {
  await db.deleteFrom('streamViewers').where('streamId', '=', id).execute()
  await db.deleteFrom('streams').where('id', '=', id).where('endedAt', 'is not', null).execute()
}

/** On SQLite there is one node: what is held when it starts was held by one that is no more. */
export const endStreamLeases = async (db: Db) => {
  if (isPostgres(db)) return
  await db.updateTable('streams').set({ leaseUntil: 0 }).where('workerId', 'is not', null).execute()
}

// Viewers.

export const writeViewers = async (db: Db, written: Row<'streamViewers'>) => {
  const { streamId, nodeId } = written
  if (written.viewers === '')
    return void (await db
      .deleteFrom('streamViewers')
      .where('streamId', '=', streamId)
      .where('nodeId', '=', nodeId)
      .execute())
  await db
    .insertInto('streamViewers')
    .values(written)
    .onConflict(conflict =>
      conflict
        .columns(['streamId', 'nodeId'])
        .doUpdateSet(of => ({ viewers: of.ref('excluded.viewers'), writtenAt: of.ref('excluded.writtenAt') })),
    )
    .execute()
}

/** What the nodes have written since then. */
export const listViewers = (db: Db, streamId: string, since: number) =>
  db
    .selectFrom('streamViewers')
    .select('viewers')
    .where('streamId', '=', streamId)
    .where('writtenAt', '>', since)
    .execute()
