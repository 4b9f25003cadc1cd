import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import { newId, oldestId } from '../ids.ts'
import type { Caller } from '../rules.ts'
import { BATCH } from './batches.ts'
import { isAmong } from './json.ts'
import { page } from './page.ts'
import { prepared } from './prepared.ts'
import type { Db, Row, Trx } from './tables.ts'

export const personOf = (caller: Caller) => personNamed(idsOf(caller))

/** An account or a guest, never both. */
export const idsOf = (caller: Caller) =>
  caller.kind === 'guest' ? { userId: null, guestId: caller.guestId } : { userId: caller.userId, guestId: null }

const upsertParticipant = prepared<Row<'participants'>, Pick<Row<'participants'>, 'id'>>((db, param) =>
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
      createdAt: param('createdAt'),
    })
    .onConflict(conflict =>
      conflict.columns(['roomId', 'person', 'tabKey']).doUpdateSet({ createdAt: param('createdAt') }),
    )
    .returning('id'),
)

/** Who joins, before anything is written of it. */
export interface Enrolment {
  roomId: string
  userId: string | null
  guestId: string | null
  tabKey: string
}

const personNamed = ({ userId, guestId }: Pick<Enrolment, 'userId' | 'guestId'>) =>
  userId === null ? `guest:${guestId}` : `user:${userId}`

/** The same person with the same tab is the same participant. Gives the id they have, which need not be `id`. */
export const enrol = async (
  db: Db,
  id: string,
  enrolment: Enrolment,
  externalUserId: string | null,
  now: number,
): Promise<string> => {
  const { rows } = await upsertParticipant(db, {
    ...enrolment,
    id,
    person: personNamed(enrolment),
    externalUserId,
    handRaisedAt: null,
    hasFloor: false,
    createdAt: now,
  })
  const [participant] = rows as [(typeof rows)[number]]
  return participant.id
}

/** Before that the row may be forgotten for idle, and is to be written again. */
const FRESH_MS = 60 * 60 * 1000

const selectEnrolled = prepared<
  { roomId: string; person: string; tabKey: string },
  Pick<Row<'participants'>, 'id' | 'hasFloor' | 'createdAt'>
>((db, param) =>
  db
    .selectFrom('participants')
    .select(['id', 'hasFloor', 'createdAt'])
    .where('roomId', '=', param('roomId'))
    .where('person', '=', param('person'))
    .where('tabKey', '=', param('tabKey')),
)

/** `isFresh`: enrolled not long ago, and nothing need be written when they connect. */
export const findEnrolled = async (db: Db, { roomId, tabKey, ...who }: Enrolment, now: number) => {
  const {
    rows: [found],
  } = await selectEnrolled(db, { roomId, person: personNamed(who), tabKey })
  return (
    found && {
      participantId: found.id,
      hasFloor: found.hasFloor,
      isFresh: found.createdAt > now - FRESH_MS,
    }
  )
}

/** With the room the participant belongs to. */
export type FoundParticipant = Row<'participants'> & { channelId: string; spaceId: string; roomName: string }

const fromParticipants = (db: Db) =>
  db
    .selectFrom('participants')
    .innerJoin('rooms', 'rooms.id', 'participants.roomId')
    .selectAll('participants')
    .select(['rooms.channelId', 'rooms.spaceId', 'rooms.name as roomName'])

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

/** Who is on the air has been called: the hand goes down. */
export const setFloor = async (trx: Trx, participantId: string, onAir: boolean) => {
  await trx
    .updateTable('participants')
    .set({ hasFloor: onAir, ...(onAir && { handRaisedAt: null }) })
    .where('id', '=', participantId)
    .execute()
}

const IDLE_MS = 24 * 60 * 60 * 1000

/**
 * Forgets who joined long ago and was never in a call, as ids and in small batches, so that nobody waits long for the
 * database. Goes on from `after` and says how far it came; null: it is through.
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

/** Of these, those who have not joined lately and of whom no call that is kept tells. */
export const forgetIdle = async (db: Db, ids: string[], now: number) => {
  if (ids.length === 0) return
  await db
    .deleteFrom('participants')
    .where('id', 'in', ids)
    // Whoever has joined again since then may be on their way in.
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

// Bans.

/** The ban from `rooms` under any of these names, which it can have for a person. */
export const banOf = (...names: RawBuilder<string>[]) =>
  sql<
    string | null
  >`(select id from bans where bans."roomId" = rooms.id and bans.person in (${sql.join(names)}) limit 1)`

const namesPerson = async (db: Db, linkId: string): Promise<boolean> =>
  (await db
    .selectFrom('links')
    .select('id')
    .where('id', '=', linkId)
    .where(link => link.or([link('username', 'is not', null), link('externalUserId', 'is not', null)]))
    .executeTakeFirst()) !== undefined

/**
 * An account is banned as such. A guest is banned with the link if it names a person, since it would only let the same
 * one in again; a link for everybody goes on working for the others.
 */
export const ban = async (
  trx: Trx,
  roomId: string,
  caller: Caller,
  now: number,
): Promise<{ id: string } | undefined> => {
  const byLink = caller.kind === 'guest' && (await namesPerson(trx, caller.linkId))
  const person = byLink ? `link:${caller.linkId}` : personOf(caller)
  return trx
    .insertInto('bans')
    .values({ id: newId(), roomId, person, name: caller.name, createdAt: now })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
}

export const listBans = (db: Db, roomId: string, query: PageQuery) =>
  page(db.selectFrom('bans').selectAll().where('roomId', '=', roomId), 'bans.id', 'desc', query, ({ id }) => id)

/** Whose it was; undefined: there is no such ban. */
export const liftBan = (trx: Trx, roomId: string, id: string) =>
  trx.deleteFrom('bans').where('id', '=', id).where('roomId', '=', roomId).returning('name').executeTakeFirst()
