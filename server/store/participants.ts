import { newId, oldestId } from '../ids.ts'
import { Problem } from '../problem.ts'
import type { Caller, RoomStanding } from '../rules.ts'
import type { Db, Trx } from './tables.ts'

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

const IDLE_MS = 24 * 60 * 60 * 1000

/**
 * Forgets who joined long ago and was never in a call, as ids and in small batches, so that nobody waits long for the
 * database. Goes on from `after` and says how far it came; null: it is through.
 */
export const forgetIdleParticipants = async (
  db: Db,
  after: string,
  now: number,
  batch = 500,
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
  await db
    .deleteFrom('participants')
    .where(
      'id',
      'in',
      old.map(({ id }) => id),
    )
    // Whoever has joined again since then may be on their way in.
    .where('createdAt', '<', now - IDLE_MS)
    .where(of =>
      of.not(of.exists(of.selectFrom('stints').select('stints.id').whereRef('participantId', '=', 'participants.id'))),
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
  return last.id
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
