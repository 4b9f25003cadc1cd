import { type InferResult, type SelectQueryBuilder, sql } from 'kysely'
import type { SpotlightSource } from '../../contract/callControls.ts'
import type { PageQuery, SearchQuery } from '../../contract/common.ts'
import { isId, newId, oldestId } from '../ids.ts'
import { callEndedRefusal, isOnModeratorsSide, type RoomStanding } from '../rules.ts'
import { DAY_MS } from '../times.ts'
import { BATCH, deleteSome, inBatches } from './batches.ts'
import { isAmong, rowsOf } from './json.ts'
import { held } from './lock.ts'
import { nameKey } from './nameKeys.ts'
import { cut, cutNamed, DEFAULT_LIMIT, page, pageNamed, placeAt, type RowOf, wantedKey } from './page.ts'
import { forgetIdle, lowerHands, takeFloors } from './participants.ts'
import { prepared } from './prepared.ts'
import { unlockRoom } from './rooms.ts'
import { type Db, isTrue, type Row, type Tables, type Trx } from './tables.ts'
import { forgetDecisions } from './waiting.ts'

// Events of the engine.

/** Marks an event as handled. False: it was before. */
export const markEngineEvent = async (trx: Trx, id: string, now: number): Promise<boolean> =>
  (await trx
    .insertInto('engineEvents')
    .values({ id, receivedAt: now })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()) !== undefined

export const forgetOldEngineEvents = (db: Db, now: number, batch?: number) =>
  deleteSome(db, 'engineEvents', 'id', sql`"receivedAt" < ${now - DAY_MS}`, batch)

// Calls.

export const findOpenCall = (db: Db, roomId: string) =>
  db.selectFrom('calls').selectAll().where('roomId', '=', roomId).where('endedAt', 'is', null).executeTakeFirst()

/** What a recorder is to show of the call. */
export const findStage = (db: Db, callId: string) =>
  db
    .selectFrom('calls')
    .innerJoin('rooms', 'rooms.id', 'calls.roomId')
    .select(['calls.roomId', 'rooms.type as roomType', 'calls.spotlightId', 'calls.spotlightSource'])
    .where('calls.id', '=', callId)
    .executeTakeFirst()

/** In the space, or anywhere. */
export const listOpenCalls = (db: Db, spaceId: string | null) => {
  const calls = db.selectFrom('calls').selectAll().where('endedAt', 'is', null)
  return (spaceId === null ? calls : calls.where('spaceId', '=', spaceId)).execute()
}

/** The open call in the room, locked: no one else changes its participants, or ends it, until the transaction ends. */
export const holdOpenCall = (trx: Trx, roomId: string) =>
  held(
    trx,
    trx.selectFrom('calls').selectAll().where('roomId', '=', roomId).where('endedAt', 'is', null),
  ).executeTakeFirst()

/** The open call in the channel, locked; a channel outlives its deleted room. */
export const holdOpenCallIn = (trx: Trx, channelId: string) =>
  held(
    trx,
    trx.selectFrom('calls').selectAll().where('channelId', '=', channelId).where('endedAt', 'is', null),
  ).executeTakeFirst()

/** The call, locked, ended or not. */
export const holdCall = (trx: Trx, id: string) =>
  held(trx, trx.selectFrom('calls').selectAll().where('id', '=', id)).executeTakeFirst()

/** The last call that a moderator ended for all at that time or later, locked. */
const holdCallEndedSince = (trx: Trx, roomId: string, since: number) =>
  held(
    trx,
    trx
      .selectFrom('calls')
      .selectAll()
      .where('roomId', '=', roomId)
      .where('wasEnded', '=', true)
      .where('endedAt', '>=', since)
      .orderBy('id', 'desc')
      .limit(1),
  ).executeTakeFirst()

/**
 * The call, locked, of a participant who joined the room at `joinedAt`: the live one; else one that was ended for all
 * after they joined, if the event arrived late; else, if `mayOpen`, a new one (`isNew`).
 */
export const callToJoin = async (
  trx: Trx,
  room: { roomId: string; spaceId: string; roomName: string; channelId: string },
  joinedAt: number,
  mayOpen: boolean,
  now: number,
): Promise<{ call: Row<'calls'>; isNew: boolean } | null> => {
  const { roomId, spaceId, roomName, channelId } = room
  for (;;) {
    const call = (await holdOpenCall(trx, roomId)) ?? (await holdCallEndedSince(trx, roomId, joinedAt))
    if (call) return { call, isNew: false }
    if (!mayOpen) return null
    const opened = await trx
      .insertInto('calls')
      .values({
        id: newId(now),
        spaceId,
        roomId,
        roomName,
        roomNameKey: nameKey(roomName),
        channelId,
        startedAt: joinedAt,
        lastSeenAt: joinedAt,
        emptySince: null,
        endedAt: null,
        wasEnded: false,
        spotlightId: null,
        spotlightSource: null,
      })
      .onConflict(conflict => conflict.column('roomId').where('endedAt', 'is', null).doNothing())
      .returningAll()
      .executeTakeFirst()
    // None: someone else has opened one just now.
    if (opened) return { call: opened, isNew: true }
  }
}

export const setSeen = async (trx: Trx, callId: string, at: number) => {
  await trx.updateTable('calls').set({ lastSeenAt: at }).where('id', '=', callId).where('lastSeenAt', '<', at).execute()
}

/**
 * Of a call that is held. Raised hands, the floor, the spotlight, chosen names, the lock of the room and who was let into
 * it end with it. Gives the room, if it was locked.
 */
export const closeCall = async (trx: Trx, { id, roomId }: Row<'calls'>, endedAt: number, wasEnded: boolean) => {
  const spotlight = { spotlightId: null, spotlightSource: null }
  await trx
    .updateTable('calls')
    .set({ endedAt, wasEnded, ...spotlight })
    .where('id', '=', id)
    .execute()
  await trx.deleteFrom('callNames').where('roomId', '=', roomId).execute()
  await lowerHands(trx, roomId)
  await takeFloors(trx, roomId)
  await forgetDecisions(trx, roomId)
  return unlockRoom(trx, roomId, endedAt)
}

const selectLast = prepared<{ roomId: string }, Pick<Row<'calls'>, 'wasEnded' | 'endedAt'>>((db, param) =>
  db
    .selectFrom('calls')
    .select(['wasEnded', 'endedAt'])
    .where('roomId', '=', param('roomId'))
    .orderBy('id', 'desc')
    .limit(1),
)

/** The call going on in the room, or the one before. */
export const findLastCall = async (db: Db, roomId: string) => (await selectLast(db, { roomId })).rows[0]

/** To be asked after `mayJoin`. The moderators' side may always come back: a query less for each of their joins. */
export const lastCallRefusal = async (db: Db, at: RoomStanding, now: number) => {
  if (isOnModeratorsSide(at)) return null
  return callEndedRefusal(at, await findLastCall(db, at.room.id), now)
}

/** Nobody has come back to it. */
export const isAbandoned = ({ endedAt, emptySince }: Row<'calls'>, emptyBefore: number) =>
  endedAt === null && emptySince !== null && emptySince <= emptyBefore

export const listAbandonedCalls = (db: Db, emptyBefore: number) =>
  db.selectFrom('calls').select('id').where('endedAt', 'is', null).where('emptySince', '<=', emptyBefore).execute()

// Stays.

const selectStays = prepared<{ connectionIds: string }, Row<'stays'>>((db, param) =>
  db
    .selectFrom('stays')
    .selectAll()
    .where(isAmong(db, 'connectionId', param('connectionIds'))),
)

/** By their connections. */
export const findStays = async (db: Db, connectionIds: string[]): Promise<Map<string, Row<'stays'>>> => {
  const { rows } = await selectStays(db, { connectionIds: JSON.stringify(connectionIds) })
  return new Map(rows.map(stay => [stay.connectionId, stay]))
}

export const findStay = async (db: Db, connectionId: string) => (await findStays(db, [connectionId])).get(connectionId)

export const openStays = (db: Db, callId: string) =>
  db.selectFrom('stays').selectAll().where('callId', '=', callId).where('leftAt', 'is', null).orderBy('id').execute()

/** As the index of moderators has it. */
const isModerator = sql.lit<'moderator'>('moderator')

const columnsInside = [
  'stays.id as stayId',
  'stays.participantId',
  'stays.name',
  'stays.userId',
  'stays.externalUserId',
  'stays.role',
  'stays.joinedAt',
  'participants.handRaisedAt',
  'participants.hasFloor',
] as const

/** Those in the call, with the hand and the floor of each. */
const inside = (db: Db, callId: string) =>
  db
    .selectFrom('stays')
    .leftJoin('participants', 'participants.id', 'stays.participantId')
    .select(columnsInside)
    .where('stays.callId', '=', callId)
    .where('stays.leftAt', 'is', null)

export const countInside = async (db: Db, callId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('stays')
    .select(of => of.fn.countAll().as('count'))
    .where('callId', '=', callId)
    .where('leftAt', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

const findOpenCallIn = (db: Db, channelId: string) =>
  db.selectFrom('calls').select('id').where('channelId', '=', channelId).where('endedAt', 'is', null).executeTakeFirst()

/** In the call going on in it. */
export const countInsideChannel = async (db: Db, channelId: string): Promise<number> => {
  const call = await findOpenCallIn(db, channelId)
  return call ? countInside(db, call.id) : 0
}

/** The moderators in the call going on in it, by participant. */
export const listModeratorsIn = async (db: Db, channelId: string): Promise<string[]> => {
  const call = await findOpenCallIn(db, channelId)
  if (!call) return []
  const moderators = await db
    .selectFrom('stays')
    .select('participantId')
    .where('callId', '=', call.id)
    .where('leftAt', 'is', null)
    .where('role', '=', isModerator)
    .execute()
  return moderators.map(({ participantId }) => participantId)
}

export const listInside = (db: Db, callId: string) => inside(db, callId).orderBy('stays.id').execute()

/** Of a large call the person who asks, and no more than `limit` each of moderators, those with the floor and hands. */
export const listProminent = async (
  db: Db,
  { id, roomId }: Pick<Row<'calls'>, 'id' | 'roomId'>,
  person: string,
  limit: number,
) => {
  const moderators = inside(db, id).where('stays.role', '=', isModerator).orderBy('stays.id').limit(limit)
  // A cross join, since SQLite takes those in its order: from the few of interest to their stays.
  const known = () =>
    db
      .selectFrom('participants')
      .crossJoin('stays')
      .select(columnsInside)
      .$castTo<InferResult<typeof moderators>[number]>()
      .where('participants.roomId', '=', roomId)
      .whereRef('stays.participantId', '=', 'participants.id')
      // What is open is of this call.
      .where('stays.leftAt', 'is', null)
      .limit(limit)
  const floor = known().where('participants.hasFloor', '=', isTrue)
  const hands = known().where('participants.handRaisedAt', 'is not', null).orderBy('participants.handRaisedAt')
  const own = known().where('participants.person', '=', person)
  const found = await db
    .selectFrom(moderators.as('moderators'))
    .selectAll()
    .unionAll(db.selectFrom(floor.as('floor')).selectAll())
    .unionAll(db.selectFrom(hands.as('hands')).selectAll())
    .unionAll(db.selectFrom(own.as('own')).selectAll())
    .execute()
  const each = new Map(found.map(one => [one.stayId, one]))
  return [...each.values()].sort((one, other) => (one.stayId < other.stayId ? -1 : 1))
}

export const pageInside = async (
  db: Db,
  callId: string,
  { q = '', limit = DEFAULT_LIMIT, cursor }: PageQuery & { q?: string },
) => {
  const read = (query: PageQuery) => page(inside(db, callId), 'stays.id', 'asc', query, ({ stayId }) => stayId)
  const wanted = nameKey(q)
  if (wanted === '') return read({ limit, ...(cursor !== undefined && { cursor }) })
  const matching: RowOf<typeof read>[] = []
  for (let from = cursor; ; ) {
    const { items, nextCursor } = await read({ limit: BATCH, ...(from !== undefined && { cursor: from }) })
    matching.push(...items.filter(({ name }) => nameKey(name).includes(wanted)))
    if (matching.length > limit || nextCursor === null) return cut(matching, limit, ({ stayId }) => stayId)
    from = nextCursor
  }
}

interface CallQuery extends SearchQuery {
  state?: 'live' | 'ended'
  from?: string
  to?: string
  sort?: 'startedAt' | '-startedAt'
}

/** Of a space also by the name of the room. */
export const listCalls = (
  db: Db,
  of: { roomId: string } | { spaceId: string },
  { state, from, to, sort, ...query }: CallQuery,
) => {
  let calls = db.selectFrom('calls').selectAll()
  calls = 'roomId' in of ? calls.where('roomId', '=', of.roomId) : calls.where('spaceId', '=', of.spaceId)
  const wanted = wantedKey(query)
  // By name, or by the start, the others are in no index: it has them in another order.
  const isByStart = from !== undefined || to !== undefined || sort !== undefined
  const [startedAt, endedAt] = [sql<number>`coalesce("startedAt", 0)`, sql<number>`coalesce("endedAt", 0)`]
  const start = wanted === null ? sql.ref<number>('startedAt') : startedAt
  if (from !== undefined) calls = calls.where(start, '>=', Date.parse(from))
  if (to !== undefined) calls = calls.where(start, '<', Date.parse(to))
  if (state && isByStart) calls = calls.where(endedAt, state === 'live' ? '=' : '!=', 0)
  else if (state) calls = calls.where('endedAt', state === 'live' ? 'is' : 'is not', null)
  if (wanted === null && isByStart) return pageByStart(calls, sort === 'startedAt' ? 'asc' : 'desc', query)
  if (wanted === null) return page(calls, 'calls.id', 'desc', query, call => call.id)
  const place = { key: 'calls.roomNameKey', id: 'calls.id' }
  return pageNamed(calls, place, 'desc', wanted, query, ({ roomNameKey, id }) => ({ key: roomNameKey ?? '', id }))
}

/** A call may be known of only later: its id is not always in the order of the starts. */
const pageByStart = async <O extends { id: string; startedAt: number }>(
  calls: SelectQueryBuilder<Tables, 'calls', O>,
  order: 'asc' | 'desc',
  { limit = DEFAULT_LIMIT, cursor }: PageQuery,
) => {
  const last = cursor === undefined ? null : placeAt(cursor)
  const start = Number(last?.key)
  const after = last
    ? calls.where(
        // A cursor that is not of ours may hold any text, and PostgreSQL takes whole numbers only.
        sql<boolean>`("startedAt", id) ${sql.raw(order === 'asc' ? '>' : '<')} (${Number.isSafeInteger(start) ? start : 0}, ${last.id})`,
      )
    : calls
  const rows = await after
    .orderBy('startedAt', order)
    .orderBy('id', order)
    .limit(limit + 1)
    .execute()
  return cutNamed(rows, limit, ({ id, startedAt }) => ({ key: String(startedAt), id }))
}

export const findCall = async (db: Db, spaceId: string, roomId: string | null, id: string) => {
  const call = isId(id)
    ? await db.selectFrom('calls').selectAll().where('id', '=', id).where('spaceId', '=', spaceId).executeTakeFirst()
    : undefined
  return call && (roomId === null || call.roomId === roomId) ? call : undefined
}

export const listStays = (db: Db, callId: string) =>
  db.selectFrom('stays').selectAll().where('callId', '=', callId).orderBy('id').execute()

/** The link's name, if they go by another. */
export const changedLinkName = ({ name, linkName }: Pick<Row<'stays'>, 'name' | 'linkName'>): { linkName?: string } =>
  linkName === null || linkName === name ? {} : { linkName }

const insertStays = prepared<{ stays: string }, never>((db, param) => {
  const stays = rowsOf<Row<'stays'>>(db, param('stays'), {
    id: 'text',
    callId: 'text',
    connectionId: 'text',
    participantId: 'text',
    userId: 'text',
    guestId: 'text',
    externalUserId: 'text',
    name: 'text',
    linkName: 'text',
    role: 'text',
    joinedAt: 'bigint',
    leftAt: 'bigint',
  })
  const columns = ['id', 'callId', 'connectionId', 'participantId', 'userId', 'guestId', 'externalUserId'] as const
  const more = ['name', 'linkName', 'role', 'joinedAt', 'leftAt'] as const
  return db
    .insertInto('stays')
    .columns([...columns, ...more])
    .expression(db.selectFrom(stays).select([...columns, ...more])) as never
})

/** In a locked call. */
export const addStays = async (trx: Trx, stays: Row<'stays'>[]) => {
  for (const batch of inBatches(stays)) await insertStays(trx, { stays: JSON.stringify(batch) })
}

const updateStays = prepared<{ ids: string; leftAt: number }, Row<'stays'>>((db, param) =>
  db
    .updateTable('stays')
    .set({
      leftAt: sql`case when "joinedAt" > ${param('leftAt')} then "joinedAt" else cast(${param('leftAt')} as bigint) end`,
    })
    .where(isAmong(db, 'id', param('ids')))
    .where('leftAt', 'is', null)
    .returningAll(),
)

/** Nobody leaves before they have joined. Gives those that had not ended before, in their order. */
export const closeStays = async (trx: Trx, stays: Row<'stays'>[], leftAt: number): Promise<Row<'stays'>[]> => {
  const closed: Row<'stays'>[] = []
  for (const batch of inBatches(stays)) {
    const { rows } = await updateStays(trx, { ids: JSON.stringify(batch.map(({ id }) => id)), leftAt })
    closed.push(...rows)
  }
  return closed.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** By which participants the person is in the room's call, in the order they came; none: they are not in it. */
export const listOwnInside = async (db: Db, roomId: string, person: string): Promise<string[]> => {
  const found = await db
    .selectFrom('participants')
    // A cross join, since SQLite takes those in its order.
    .crossJoin('stays')
    .select('participants.id')
    .where('participants.roomId', '=', roomId)
    .where('participants.person', '=', person)
    .whereRef('stays.participantId', '=', 'participants.id')
    .where('stays.leftAt', 'is', null)
    .execute()
  return [...new Set(found.map(({ id }) => id))].sort()
}

export const isInside = async (db: Db, callId: string, participantId: string): Promise<boolean> =>
  (await db
    .selectFrom('stays')
    .select('id')
    .where('participantId', '=', participantId)
    .where('callId', '=', callId)
    .where('leftAt', 'is', null)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Of a call that is held. */
export const setSpotlight = async (
  trx: Trx,
  callId: string,
  on: { participantId: string; source: SpotlightSource } | null,
) => {
  const spotlight = { spotlightId: on?.participantId ?? null, spotlightSource: on?.source ?? null }
  await trx.updateTable('calls').set(spotlight).where('id', '=', callId).execute()
}

/** In the list of the call and in attendance. */
export const renameStays = async (trx: Trx, participantIds: string[], name: string) => {
  await trx
    .updateTable('stays')
    .set({ name })
    .where('participantId', 'in', participantIds)
    .where('leftAt', 'is', null)
    .execute()
}

/** Of a participant in a call. False: it has not changed. */
export const setRole = async (db: Db, participantId: string, role: Row<'stays'>['role']): Promise<boolean> => {
  // Asked first: mostly there is nothing to write.
  const stay = await db
    .selectFrom('stays')
    .select('id')
    .where('participantId', '=', participantId)
    .where('leftAt', 'is', null)
    .where('role', '!=', role)
    .executeTakeFirst()
  if (!stay) return false
  await db.updateTable('stays').set({ role }).where('id', '=', stay.id).execute()
  return true
}

/**
 * Of a call that is held: since when nobody is known to be in it. What counts is when we learnt it, so that an engine
 * that was down for a moment leaves everyone the time to come back.
 */
export const updateEmptiness = async (trx: Trx, callId: string, now: number) => {
  const someone = await trx
    .selectFrom('stays')
    .select('id')
    .where('callId', '=', callId)
    .where('leftAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const call = trx.updateTable('calls').where('id', '=', callId).where('endedAt', 'is', null)
  await (someone
    ? call.set({ emptySince: null }).where('emptySince', 'is not', null)
    : call.set({ emptySince: now }).where('emptySince', 'is', null)
  ).execute()
}

/** When the last one left. */
export const lastMoment = async (db: Db, { id, lastSeenAt }: Row<'calls'>): Promise<number> => {
  const stay = await db
    .selectFrom('stays')
    .select(of => of.fn.max('leftAt').as('leftAt'))
    .where('callId', '=', id)
    .executeTakeFirst()
  return stay?.leftAt ?? lastSeenAt
}

/** Calls that had ended before then, with their participants and chat: these first, since one call may have thousands. */
export const forgetOldCalls = async (db: Db, before: number, now: number, batch = BATCH): Promise<boolean> => {
  // None ended before it began, and ids grow with time.
  const isOld = sql<boolean>`"calls"."id" < ${oldestId(before)} and "calls"."endedAt" < ${before}`
  const stays = await db
    .deleteFrom('stays')
    .where('id', 'in', of =>
      of
        .selectFrom('calls')
        .innerJoin('stays', 'stays.callId', 'calls.id')
        .select('stays.id')
        .where(isOld)
        .limit(batch),
    )
    .returning('participantId')
    .execute()
  await forgetIdle(db, [...new Set(stays.map(({ participantId }) => participantId))], now)
  const messages = await db
    .deleteFrom('callMessages')
    .where('id', 'in', of =>
      of
        .selectFrom('calls')
        .innerJoin('callMessages', 'callMessages.callId', 'calls.id')
        .select('callMessages.id')
        .where(isOld)
        .limit(batch),
    )
    .executeTakeFirst()
  const isMore = stays.length === batch || Number(messages.numDeletedRows) === batch
  return isMore || deleteSome(db, 'calls', 'id', isOld, batch)
}
