import { sql } from 'kysely'
import { isAmong } from './json.ts'
import { held } from './lock.ts'
import { personKeyOf } from './participants.ts'
import { prepared } from './prepared.ts'
import { type Db, isTrue, type Row, type Trx } from './tables.ts'

/*
 * One person in a room through several tabs, devices and links. A person is their account, else who they are in another
 * system, else the guest.
 */

type Person = Pick<Row<'participants'>, 'roomId' | 'userId' | 'guestId' | 'externalUserId'>

/** What the participants of one person have in common. */
const inCommon = (person: Person) =>
  person.externalUserId === null
    ? ({ column: 'person', value: personKeyOf(person) } as const)
    : ({ column: 'externalUserId', value: person.externalUserId } as const)

interface Presence {
  /** In the call through another tab or device. */
  isElsewhere: boolean
  /** In the call through this tab, now or before. */
  isHere: boolean
}

const selectPresence = (column: 'person' | 'externalUserId') =>
  prepared<{ roomId: string; value: string; tabKey: string }, { [K in keyof Presence]: boolean | null }>((db, param) =>
    db
      .selectFrom('participants')
      // From the few of the person to their stays: SQLite takes a cross join in its order.
      .crossJoin('stays')
      .innerJoin('calls', 'calls.id', 'stays.callId')
      .where('participants.roomId', '=', param('roomId'))
      .where(`participants.${column}`, '=', param('value'))
      .where('participants.replacedAt', 'is', null)
      .whereRef('stays.participantId', '=', 'participants.id')
      .where('calls.endedAt', 'is', null)
      .select([
        sql<boolean | null>`max(case when "tabKey" <> ${param('tabKey')} and "leftAt" is null then 1 else 0 end)`.as(
          'isElsewhere',
        ),
        sql<boolean | null>`max(case when "tabKey" = ${param('tabKey')} then 1 else 0 end)`.as('isHere'),
      ]),
  )
const selectPresenceBy = { person: selectPresence('person'), externalUserId: selectPresence('externalUserId') }

/** Where the person is in the call going on in the room. */
export const findPresence = async (db: Db, person: Person, tabKey: string): Promise<Presence> => {
  const { column, value } = inCommon(person)
  const {
    rows: [found],
  } = await selectPresenceBy[column](db, { roomId: person.roomId, value, tabKey })
  return { isElsewhere: found?.isElsewhere ?? false, isHere: found?.isHere ?? false }
}

/**
 * Of a participant who has just come into a call that is held: if they are to, they replace all others of the same
 * person, with their hand and floor. Those who are to replace others themselves are left alone until they have come, so
 * that of several at once the last one stays. Gives the ids of those replaced.
 */
export const replaceOthers = async (trx: Trx, id: string, now: number): Promise<string[]> => {
  const self = await trx
    .updateTable('participants')
    .set({ isReplacing: false })
    .where('id', '=', id)
    .where('isReplacing', '=', isTrue)
    .where('replacedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!self) return []
  const { column, value } = inCommon(self)
  const others = await held(
    trx,
    trx
      .selectFrom('participants')
      .select(['id', 'handRaisedAt', 'hasFloor'])
      .where('roomId', '=', self.roomId)
      .where(column, '=', value)
      .where('id', '!=', id)
      .where('isReplacing', '=', false)
      .where('replacedAt', 'is', null),
  ).execute()
  if (others.length === 0) return []
  const ids = others.map(other => other.id)
  await trx
    .updateTable('participants')
    .set({ replacedAt: now, handRaisedAt: null, hasFloor: false })
    .where(isAmong(trx, 'id', JSON.stringify(ids)))
    .execute()
  const all = [self, ...others]
  const hands = all.flatMap(({ handRaisedAt }) => handRaisedAt ?? [])
  await trx
    .updateTable('participants')
    .set({
      handRaisedAt: hands.length > 0 ? Math.min(...hands) : null,
      hasFloor: all.some(({ hasFloor }) => hasFloor),
    })
    .where('id', '=', id)
    .execute()
  return ids
}
