import type { PageQuery } from '../../contract/common.ts'
import { isId, newId } from '../ids.ts'
import type { MediaPresence } from '../media/engine.ts'
import { Problem } from '../problem.ts'
import type { Caller, RoomStanding } from '../rules.ts'
import { page } from './page.ts'
import type { Db, Row, Trx } from './tables.ts'

// Participants.

export const personOf = (caller: Caller) =>
  caller.kind === 'guest' ? `guest:${caller.guestId}` : `user:${caller.userId}`

/** The same person with the same tab is the same participant. */
export const enrol = async (
  trx: Trx,
  roomId: string,
  caller: Caller,
  externalUserId: string | null,
  tabKey: string | undefined,
  now: number,
): Promise<{ participantId: string; hasFloor: boolean }> => {
  const isGuest = caller.kind === 'guest'
  const { id, hasFloor } = await trx
    .insertInto('participants')
    .values({
      id: newId(),
      roomId,
      person: personOf(caller),
      userId: isGuest ? null : caller.userId,
      guestId: isGuest ? caller.guestId : null,
      tabKey: tabKey ?? newId(),
      externalUserId,
      handRaisedAt: null,
      hasFloor: 0,
      createdAt: now,
    })
    .onConflict(conflict => conflict.columns(['roomId', 'person', 'tabKey']).doUpdateSet({ createdAt: now }))
    .returning(['id', 'hasFloor'])
    .executeTakeFirstOrThrow()
  return { participantId: id, hasFloor: hasFloor === 1 }
}

/** With the room the participant belongs to. */
export const findParticipant = (db: Db, id: string) =>
  db
    .selectFrom('participants')
    .innerJoin('rooms', 'rooms.id', 'participants.roomId')
    .selectAll('participants')
    .select(['rooms.channelId', 'rooms.spaceId', 'rooms.name as roomName'])
    .where('participants.id', '=', id)
    .executeTakeFirst()

export type FoundParticipant = NonNullable<Awaited<ReturnType<typeof findParticipant>>>

/** Of the person, in all their tabs. Raised again, it keeps its place among the others. */
export const setHand = async (trx: Trx, roomId: string, person: string, raisedAt: number | null) => {
  await trx
    .updateTable('participants')
    .set(update => ({
      handRaisedAt: raisedAt === null ? null : update.fn.coalesce('handRaisedAt', update.val(raisedAt)),
    }))
    .where('roomId', '=', roomId)
    .where('person', '=', person)
    .execute()
}

/** Who is on the air has been called: the hand goes down. */
export const setFloor = async (trx: Trx, participantId: string, onAir: boolean) => {
  await trx
    .updateTable('participants')
    .set({ hasFloor: onAir ? 1 : 0, ...(onAir && { handRaisedAt: null }) })
    .where('id', '=', participantId)
    .execute()
}

// Bars.

/** All ways to name the caller that a bar could name. */
const barsOf = (caller: Caller) =>
  caller.kind === 'guest' ? [`guest:${caller.guestId}`, `link:${caller.linkId}`] : [`user:${caller.userId}`]

export const isBarred = async (db: Db, roomId: string, caller: Caller): Promise<boolean> =>
  (await db
    .selectFrom('bars')
    .select('id')
    .where('roomId', '=', roomId)
    .where('person', 'in', barsOf(caller))
    .limit(1)
    .executeTakeFirst()) !== undefined

export const refuseBarred = async (db: Db, { room, caller }: Pick<RoomStanding, 'room' | 'caller'>) => {
  if (await isBarred(db, room.id, caller)) throw new Problem('removed', 'A moderator has removed you from this room.')
}

const namesPerson = async (db: Db, linkId: string): Promise<boolean> =>
  (await db
    .selectFrom('links')
    .select('id')
    .where('id', '=', linkId)
    .where(link => link.or([link('username', 'is not', null), link('externalUserId', 'is not', null)]))
    .executeTakeFirst()) !== undefined

/**
 * An account is barred as such. A guest is barred with the link if it names a person, since it would only let the same
 * one in again; a link for everybody goes on working for the others.
 */
export const bar = async (trx: Trx, roomId: string, caller: Caller, now: number) => {
  const byLink = caller.kind === 'guest' && (await namesPerson(trx, caller.linkId))
  const person = byLink ? `link:${caller.linkId}` : personOf(caller)
  await trx
    .insertInto('bars')
    .values({ id: newId(), roomId, person, createdAt: now })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

// Events of the engine.

/** False: it has been dealt with before. */
export const isNewEvent = async (trx: Trx, id: string, now: number): Promise<boolean> =>
  (await trx
    .insertInto('engineEvents')
    .values({ id, receivedAt: now })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()) !== undefined

export const forgetOldEvents = (db: Db, now: number) =>
  db
    .deleteFrom('engineEvents')
    .where('receivedAt', '<', now - 24 * 60 * 60 * 1000)
    .execute()

// Calls.

export const findOpenCall = (db: Db, roomId: string) =>
  db.selectFrom('calls').selectAll().where('roomId', '=', roomId).where('endedAt', 'is', null).executeTakeFirst()

export const listOpenCalls = (db: Db) => db.selectFrom('calls').selectAll().where('endedAt', 'is', null).execute()

/** The call going on in the room; the first who asks opens it, which `isNew` says. */
export const openCall = async (
  trx: Trx,
  room: { roomId: string; spaceId: string; roomName: string; channelId: string },
  startedAt: number,
): Promise<{ call: Row<'calls'>; isNew: boolean }> => {
  const { roomId, spaceId, roomName, channelId } = room
  const opened = await trx
    .insertInto('calls')
    .values({
      id: newId(),
      spaceId,
      roomId,
      roomName,
      channelId,
      startedAt,
      lastSeenAt: startedAt,
      emptySince: null,
      endedAt: null,
      wasEnded: 0,
    })
    .onConflict(conflict => conflict.column('roomId').where('endedAt', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (opened) return { call: opened, isNew: true }
  return { call: (await findOpenCall(trx, roomId)) as Row<'calls'>, isNew: false }
}

export const setSeen = async (trx: Trx, callId: string, at: number) => {
  await trx.updateTable('calls').set({ lastSeenAt: at }).where('id', '=', callId).where('lastSeenAt', '<', at).execute()
}

/** null: it had ended before. Raised hands and the floor end with it. */
export const closeCall = async (
  trx: Trx,
  callId: string,
  endedAt: number,
  wasEnded: boolean,
): Promise<Row<'calls'> | null> => {
  const call = await trx
    .updateTable('calls')
    .set({ endedAt, wasEnded: wasEnded ? 1 : 0 })
    .where('id', '=', callId)
    .where('endedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!call) return null
  await trx
    .updateTable('participants')
    .set({ handRaisedAt: null, hasFloor: 0 })
    .where('roomId', '=', call.roomId)
    .execute()
  return call
}

export const lastCall = (db: Db, roomId: string) =>
  db.selectFrom('calls').selectAll().where('roomId', '=', roomId).orderBy('id', 'desc').limit(1).executeTakeFirst()

/** Calls nobody has come back to. */
export const listAbandonedCalls = (db: Db, emptyBefore: number) =>
  db.selectFrom('calls').selectAll().where('endedAt', 'is', null).where('emptySince', '<=', emptyBefore).execute()

// Stints.

export const findStint = (db: Db, connectionId: string) =>
  db.selectFrom('stints').selectAll().where('connectionId', '=', connectionId).executeTakeFirst()

export const callOf = (db: Db, { callId }: Row<'stints'>) =>
  db.selectFrom('calls').selectAll().where('id', '=', callId).executeTakeFirstOrThrow()

export const openStints = (db: Db, callId: string) =>
  db.selectFrom('stints').selectAll().where('callId', '=', callId).where('leftAt', 'is', null).orderBy('id').execute()

/** With the hand and the floor of each. */
export const listInside = (db: Db, callId: string) =>
  db
    .selectFrom('stints')
    .leftJoin('participants', 'participants.id', 'stints.participantId')
    .select(['stints.participantId', 'stints.name', 'stints.role', 'stints.joinedAt'])
    .select(['participants.handRaisedAt', 'participants.hasFloor'])
    .where('stints.callId', '=', callId)
    .where('stints.leftAt', 'is', null)
    .orderBy('stints.id')
    .execute()

export const listCalls = (db: Db, of: { roomId: string } | { spaceId: string }, query: PageQuery) => {
  const calls = db.selectFrom('calls').selectAll()
  return page(
    'roomId' in of ? calls.where('roomId', '=', of.roomId) : calls.where('spaceId', '=', of.spaceId),
    'calls.id',
    'desc',
    query,
    call => call.id,
  )
}

export const findCall = async (db: Db, spaceId: string, roomId: string | null, id: string) => {
  const call = isId(id)
    ? await db.selectFrom('calls').selectAll().where('id', '=', id).where('spaceId', '=', spaceId).executeTakeFirst()
    : undefined
  return call && (roomId === null || call.roomId === roomId) ? call : undefined
}

export const listStints = (db: Db, callId: string) =>
  db.selectFrom('stints').selectAll().where('callId', '=', callId).orderBy('id').execute()

export interface Attendee {
  participant: FoundParticipant
  name: string
  role: 'user' | 'moderator'
}

/** null for a connection that is known. `leftAt` is known when the news of leaving came first. */
export const addStint = async (
  trx: Trx,
  callId: string,
  { connectionId, joinedAt }: MediaPresence,
  { participant, name, role }: Attendee,
  leftAt: number | null,
): Promise<Row<'stints'> | null> => {
  const stint = await trx
    .insertInto('stints')
    .values({
      id: newId(),
      callId,
      connectionId,
      participantId: participant.id,
      userId: participant.userId,
      externalUserId: participant.externalUserId,
      name,
      role,
      joinedAt,
      leftAt,
    })
    .onConflict(conflict => conflict.column('connectionId').doNothing())
    .returningAll()
    .executeTakeFirst()
  await settleEmptiness(trx, callId, leftAt ?? joinedAt)
  return stint ?? null
}

/** False: they had left before. */
export const closeStint = async (trx: Trx, { id, callId }: Row<'stints'>, leftAt: number): Promise<boolean> => {
  const stint = await trx
    .updateTable('stints')
    .set({ leftAt })
    .where('id', '=', id)
    .where('leftAt', 'is', null)
    .returning('id')
    .executeTakeFirst()
  await settleEmptiness(trx, callId, leftAt)
  return stint !== undefined
}

/** Since when the call is empty: from the moment the last one left, until somebody comes. */
const settleEmptiness = async (trx: Trx, callId: string, at: number) => {
  const someone = await trx
    .selectFrom('stints')
    .select('id')
    .where('callId', '=', callId)
    .where('leftAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const call = trx.updateTable('calls').where('id', '=', callId).where('endedAt', 'is', null)
  await (someone
    ? call.set({ emptySince: null })
    : call.set({ emptySince: at }).where('emptySince', 'is', null)
  ).execute()
}
