import { sql } from 'kysely'
import { DAY_MS } from '../times.ts'
import { deleteSome } from './batches.ts'
import { isAmong } from './json.ts'
import { prepared } from './prepared.ts'
import type { Db, Trx } from './tables.ts'

const selectOwn = prepared<{ channelIds: string }, { channelId: string }>((db, param) => {
  const isNamed = isAmong(db, 'channelId', param('channelIds'))
  return db
    .selectFrom('rooms')
    .select('channelId')
    .where(isNamed)
    .unionAll(db.selectFrom('closedChannels').select('channelId').where(isNamed))
})

/** Those that belong to a room of ours, or to one that was. */
export const ownChannels = async (db: Db, channelIds: string[]): Promise<Set<string>> => {
  const { rows } = await selectOwn(db, { channelIds: JSON.stringify(channelIds) })
  return new Set(rows.map(({ channelId }) => channelId))
}

/**
 * Channels of rooms that are about to be deleted. They must still be known to be ours, so that participants who are in
 * one, or about to connect, are disconnected, even if the engine can't be told at once.
 */
export const closeChannels = async (trx: Trx, rooms: { column: 'id' | 'spaceId'; value: string }, now: number) => {
  await trx
    .insertInto('closedChannels')
    .columns(['channelId', 'closedAt'])
    .expression(
      trx
        .selectFrom('rooms')
        .select(['channelId', sql<number>`cast(${now} as bigint)`.as('closedAt')])
        .where(rooms.column, '=', rooms.value),
    )
    .execute()
}

/** By then everyone has been disconnected, or the engine no longer exists. */
export const forgetClosedChannels = (db: Db, now: number, batch?: number) =>
  deleteSome(db, 'closedChannels', 'channelId', sql`"closedAt" < ${now - DAY_MS}`, batch)
