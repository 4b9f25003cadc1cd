import { type Nullable, sql } from 'kysely'
import { oldestId } from '../ids.ts'
import type { Caller } from '../rules.ts'
import { DAY_MS } from '../times.ts'
import { BATCH } from './batches.ts'
import { isAmong } from './json.ts'
import { prepared } from './prepared.ts'
import { type Db, isTrue, type Row, type Trx } from './tables.ts'

export const personOf = (caller: Caller) => personKeyOf(idsOf(caller))

/** By whom they are in another system they are known whatever link they came by. */
export const knownAs = (caller: Caller) =>
  caller.kind === 'guest' && caller.externalUserId !== null ? `external:${caller.externalUserId}` : personOf(caller)

/** What other systems know them by. */
export const accountsOf = (caller: Caller) => ({
  userId: idsOf(caller).userId,
  externalUserId: caller.kind === 'guest' ? caller.externalUserId : null,
})

/** An account or a guest, never both. */
export const idsOf = (caller: Caller) =>
  caller.kind === 'guest' ? { userId: null, guestId: caller.guestId } : { userId: caller.userId, guestId: null }

const upsertParticipant = prepared<Row<'participants'> & { ticketAt: number }, Pick<Row<'participants'>, 'id'>>(
  (db, param) =>
    db
      .insertInto('participants')
      .values({
        id: param('id'),
        roomId: param('roomId'),
        person: param('person'),
        userId: param('userId'),
        guestId: param('guestId'),
        tabKey: param('tabKey'),
        externalUserId: param('externalUserId'),
        handRaisedAt: param('handRaisedAt'),
        hasFloor: param('hasFloor'),
        isReplacing: param('isReplacing'),
        replacedAt: param('replacedAt'),
        createdAt: param('createdAt'),
      })
      .onConflict(conflict =>
        conflict
          .columns(['roomId', 'person', 'tabKey'])
          .doUpdateSet({
            isReplacing: param('isReplacing'),
            replacedAt: param('replacedAt'),
            createdAt: param('createdAt'),
          })
          .where(of =>
            of.or([of('participants.replacedAt', 'is', null), of('participants.replacedAt', '<', param('ticketAt'))]),
          ),
      )
      .returning('id'),
)

/** A person who joins, before anything is written of it. */
export interface Enrolment {
  roomId: string
  userId: string | null
  guestId: string | null
  tabKey: string
  /** Once in the call, they replace the person's other tabs and devices. */
  isReplacing?: boolean
  /** When they asked to join; a ticket of the previous release does not say. */
  at?: number
}

export const personKeyOf = ({ userId, guestId }: Pick<Enrolment, 'userId' | 'guestId'>) =>
  userId === null ? `guest:${guestId}` : `user:${userId}`

/**
 * The same person with the same tab is the same participant. Gives the id they have, which need not be `id`; undefined:
 * another tab or device of theirs has replaced this one since it asked.
 */
export const enrol = async (
  db: Db,
  id: string,
  { isReplacing = false, at, ...enrolment }: Enrolment,
  externalUserId: string | null,
  now: number,
): Promise<string | undefined> => {
  const { rows } = await upsertParticipant(db, {
    ...enrolment,
    id,
    person: personKeyOf(enrolment),
    externalUserId,
    handRaisedAt: null,
    hasFloor: false,
    isReplacing,
    replacedAt: null,
    createdAt: now,
    ticketAt: at ?? now,
  })
  return rows[0]?.id
}

/** Before that the row may be forgotten for idle, and is to be written again. */
const FRESH_MS = 60 * 60 * 1000

const selectEnrolled = prepared<
  { roomId: string; person: string; tabKey: string },
  Nullable<Pick<Row<'participants'>, 'id' | 'hasFloor' | 'replacedAt' | 'createdAt'>> & { callName: string | null }
>((db, param) =>
  db
    .selectFrom(db.selectNoFrom(sql.lit(1).as('one')).as('asked'))
    .leftJoin('participants', on =>
      on
        .on('participants.roomId', '=', param('roomId'))
        .on('participants.person', '=', param('person'))
        .on('participants.tabKey', '=', param('tabKey')),
    )
    .leftJoin('callNames', on =>
      on.on('callNames.roomId', '=', param('roomId')).on('callNames.person', '=', param('person')),
    )
    .select(['participants.id', 'hasFloor', 'replacedAt', 'createdAt', 'callNames.name as callName']),
)

/**
 * As whom the tab has joined before, if it has, and what the person calls themselves in the call, if anything else than
 * elsewhere. `isFresh`: enrolled not long ago and not replaced since, so that nothing need be written when they connect.
 */
export const findEnrolled = async (db: Db, { roomId, tabKey, ...person }: Enrolment, now: number) => {
  const {
    rows: [found],
  } = await selectEnrolled(db, { roomId, person: personKeyOf(person), tabKey })
  if (!found?.id) return { known: undefined, callName: found?.callName }
  const isFresh = found.replacedAt === null && (found.createdAt ?? 0) > now - FRESH_MS
  return {
    known: { participantId: found.id, hasFloor: found.hasFloor ?? false, isFresh },
    callName: found.callName,
  }
}

/** With the room the participant belongs to, and what they call themselves in its call. */
export type FoundParticipant = Row<'participants'> & {
  channelId: string
  spaceId: string
  roomName: string
  callName: string | null
}

const fromParticipants = (db: Db) =>
  db
    .selectFrom('participants')
    .innerJoin('rooms', 'rooms.id', 'participants.roomId')
    .leftJoin('callNames', on =>
      on.onRef('callNames.roomId', '=', 'participants.roomId').onRef('callNames.person', '=', 'participants.person'),
    )
    .selectAll('participants')
    .select(['rooms.channelId', 'rooms.spaceId', 'rooms.name as roomName', 'callNames.name as callName'])

const selectParticipant = prepared<{ id: string }, FoundParticipant>((db, param) =>
  fromParticipants(db).where('participants.id', '=', param('id')),
)

export const findParticipant = async (db: Db, id: string): Promise<FoundParticipant | undefined> =>
  (await selectParticipant(db, { id })).rows[0]

const selectParticipants = prepared<{ ids: string }, FoundParticipant>((db, param) =>
  fromParticipants(db).where(isAmong(db, 'participants.id', param('ids'))),
)

export const findParticipants = async (db: Db, ids: string[]): Promise<Map<string, FoundParticipant>> => {
  const { rows } = await selectParticipants(db, { ids: JSON.stringify(ids) })
  return new Map(rows.map(participant => [participant.id, participant]))
}

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

export const hasHandRaised = async (trx: Trx, roomId: string, person: string): Promise<boolean> =>
  (await trx
    .selectFrom('participants')
    .select('id')
    .where('roomId', '=', roomId)
    .where('person', '=', person)
    .where('handRaisedAt', 'is not', null)
    .limit(1)
    .executeTakeFirst()) !== undefined

export const lowerHands = async (trx: Trx, roomId: string) => {
  await trx
    .updateTable('participants')
    .set({ handRaisedAt: null })
    .where('roomId', '=', roomId)
    .where('handRaisedAt', 'is not', null)
    .execute()
}

/** Gives the participants who had it. */
export const returnFloor = async (trx: Trx, roomId: string, person: string): Promise<string[]> => {
  const returned = await trx
    .updateTable('participants')
    .set({ hasFloor: false })
    .where('roomId', '=', roomId)
    .where('person', '=', person)
    .where('hasFloor', '=', isTrue)
    .returning('id')
    .execute()
  return returned.map(({ id }) => id)
}

const selectCallName = prepared<{ roomId: string; person: string }, Pick<Row<'callNames'>, 'name'>>((db, param) =>
  db.selectFrom('callNames').select('name').where('roomId', '=', param('roomId')).where('person', '=', param('person')),
)

/** What the person calls themselves in the call; undefined: nothing else than elsewhere. */
export const findCallName = async (db: Db, roomId: string, person: string): Promise<string | undefined> =>
  (await selectCallName(db, { roomId, person })).rows[0]?.name

/** In a call that is held, and ends the name. */
export const setCallName = async (trx: Trx, callName: Row<'callNames'>) => {
  await trx
    .insertInto('callNames')
    .values(callName)
    .onConflict(conflict => conflict.columns(['roomId', 'person']).doUpdateSet({ name: callName.name }))
    .execute()
}

export const forgetCallName = async (trx: Trx, roomId: string, person: string) => {
  await trx.deleteFrom('callNames').where('roomId', '=', roomId).where('person', '=', person).execute()
}

type Placed = Pick<Row<'participants'>, 'id' | 'roomId' | 'person'>

/** A participant on air has been called on: the hand goes down, in all their tabs. */
export const setFloor = async (trx: Trx, { id, roomId, person }: Placed, onAir: boolean) => {
  await trx.updateTable('participants').set({ hasFloor: onAir }).where('id', '=', id).execute()
  if (onAir) await setHand(trx, roomId, person, null)
}

/** From all who have it. */
export const takeFloors = async (trx: Trx, roomId: string) => {
  await trx
    .updateTable('participants')
    .set({ hasFloor: false })
    .where('roomId', '=', roomId)
    .where('hasFloor', '=', isTrue)
    .execute()
}

const IDLE_MS = DAY_MS

/**
 * Forgets participants who joined long ago and were never in a call, in small batches, so that no one waits long for the
 * database. Goes on from `after` and returns how far it came; null: it is through.
 */
export const forgetIdleParticipants = async (
  db: Db,
  after: string,
  now: number,
  batch = BATCH,
): Promise<string | null> => {
  const old = await db
    .selectFrom('participants')
    .select('id')
    .where('id', '>', after)
    .where('id', '<', oldestId(now - IDLE_MS))
    .orderBy('id')
    .limit(batch)
    .execute()
  const last = old.at(-1)
  if (!last) return null
  await forgetIdle(
    db,
    old.map(({ id }) => id),
    now,
  )
  return last.id
}

/** Forgets those of them who have not joined lately and are in no call that is kept. */
export const forgetIdle = async (db: Db, ids: string[], now: number) => {
  if (ids.length === 0) return
  await db
    .deleteFrom('participants')
    .where('id', 'in', ids)
    // Participants who have joined again since then may be about to connect.
    .where('createdAt', '<', now - IDLE_MS)
    .where(of =>
      of.not(of.exists(of.selectFrom('stays').select('stays.id').whereRef('participantId', '=', 'participants.id'))),
    )
    .where(of =>
      of.not(
        of.exists(
          of
            .selectFrom('calls')
            .select('calls.id')
            .whereRef('calls.roomId', '=', 'participants.roomId')
            .where('endedAt', 'is', null),
        ),
      ),
    )
    .execute()
}
