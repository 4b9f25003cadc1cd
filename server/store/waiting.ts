import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import { newId } from '../ids.ts'
import { type Caller, isDenialOver, type RoomStanding } from '../rules.ts'
import { DAY_MS } from '../times.ts'
import { deleteSome } from './batches.ts'
import { page } from './page.ts'
import { personOf } from './participants.ts'
import { prepared } from './prepared.ts'
import type { Db, Row, Trx } from './tables.ts'

/** Who waits asks again before that; whoever does not has gone. */
const ASKS_WITHIN_MS = 40_000
/** A page that is reloaded is back in less. */
const BACK_WITHIN_MS = 5000

/**
 * The `admission` to `rooms` of a person with this key and, in another system, this id. A room that is open to all costs
 * nothing more: there nothing is looked up.
 */
export const admissionOf = (person: RawBuilder<string>, externalUserId: RawBuilder<string | null> = sql`null`) => {
  const hasBeenIn = (known: RawBuilder<boolean>) => sql`exists (
    select 1 from participants as known
    inner join stays as stay on stay."participantId" = known.id
    inner join calls as current on current.id = stay."callId"
    where known."roomId" = rooms.id and ${known} and current."endedAt" is null
  )`
  return sql<RoomStanding['admission']>`case
    when rooms."waitingRoomAudience" = 'nobody' and rooms."isLocked" = 0 then null
    when ${hasBeenIn(sql`known.person = ${person}`)} then 'admitted'
    when ${hasBeenIn(sql`known."externalUserId" = ${externalUserId}`)} then 'admitted'
    else (
      select min(state) from waiting
      where waiting."roomId" = rooms.id and waiting.person in (${person}, 'external:' || ${externalUserId})
        and state <> 'waiting'
    ) end`
}

const selectAdmission = prepared<
  { roomId: string; person: string; externalUserId: string | null },
  Pick<RoomStanding, 'admission'>
>((db, param) =>
  db
    .selectFrom('rooms')
    .where('rooms.id', '=', param('roomId'))
    .select(admissionOf(sql`${param('person')}`, sql`${param('externalUserId')}`).as('admission')),
)

/** `admissionOf` of one caller; what a room open to all is, both say. */
export const findAdmission = async (db: Db, room: Row<'rooms'>, caller: Caller): Promise<RoomStanding['admission']> => {
  if (room.waitingRoomAudience === 'nobody' && !room.isLocked) return null
  const externalUserId = caller.kind === 'guest' ? caller.externalUserId : null
  const {
    rows: [row],
  } = await selectAdmission(db, { roomId: room.id, person: personOf(caller), externalUserId })
  return row?.admission ?? null
}

export type Asking = Pick<Row<'waiting'>, 'roomId' | 'person' | 'participantId' | 'tabKey' | 'name' | 'externalUserId'>

const findAsked = (db: Db, roomId: string, person: string) =>
  db.selectFrom('waiting').selectAll().where('roomId', '=', roomId).where('person', '=', person).executeTakeFirst()

/**
 * The person asks to be let in, for the first time or again. Gives under which participant they wait, and whether that is
 * news; or what has been decided about them.
 */
export const ask = async (
  trx: Trx,
  asking: Asking,
  now: number,
): Promise<{ participantId: string; isNew: boolean } | 'admitted' | 'denied'> => {
  const afresh = { ...asking, id: newId(now), state: 'waiting' as const, since: now, seenAt: now, decidedAt: null }
  for (;;) {
    const known = await findAsked(trx, asking.roomId, asking.person)
    if (!known) {
      const added = await trx
        .insertInto('waiting')
        .values(afresh)
        .onConflict(conflict => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      if (added) return { participantId: asking.participantId, isNew: true }
      continue
    }
    if (known.state === 'admitted') return 'admitted'
    if (known.state === 'denied' && !isDenialOver(known, now)) return 'denied'
    const isNew = known.state === 'denied' || known.seenAt <= now - ASKS_WITHIN_MS
    const kept = await trx
      .updateTable('waiting')
      .set(isNew ? afresh : { seenAt: now, name: asking.name })
      .where('id', '=', known.id)
      // Decided meanwhile: that counts.
      .where('state', '=', known.state)
      .returning('participantId')
      .executeTakeFirst()
    if (kept) return { participantId: kept.participantId, isNew }
  }
}

/** Under which participant, and with which tab, an admitted person has waited. */
export const findAdmitted = async (db: Db, roomId: string, person: string) => {
  const asked = await findAsked(db, roomId, person)
  return asked?.state === 'admitted' ? asked : undefined
}

/** The page was closed, or the connection to it lost: unless they ask again soon, or have since, they are gone. */
export const stopAsking = async (
  db: Db,
  { roomId, person }: Pick<Asking, 'roomId' | 'person'>,
  askedAt: number,
  now: number,
) => {
  await db
    .updateTable('waiting')
    .set({ seenAt: now - ASKS_WITHIN_MS + BACK_WITHIN_MS })
    .where('roomId', '=', roomId)
    .where('person', '=', person)
    .where('state', '=', 'waiting')
    .where('seenAt', '=', askedAt)
    .execute()
}

/** Those who wait now, in the order they began to. */
export const listWaiting = (db: Db, roomId: string, query: PageQuery, now: number) =>
  page(
    db
      .selectFrom('waiting')
      .selectAll()
      .where('roomId', '=', roomId)
      .where('state', '=', 'waiting')
      .where('seenAt', '>', now - ASKS_WITHIN_MS),
    'waiting.id',
    'asc',
    query,
    ({ id }) => id,
  )

/** The person it was decided about, whether or not it was before; undefined: nobody waits under this participant. */
export const decide = async (
  trx: Trx,
  { roomId, participantId }: Pick<Asking, 'roomId' | 'participantId'>,
  decision: 'admitted' | 'denied',
  now: number,
): Promise<{ person: string } | undefined> => {
  const asked = trx.updateTable('waiting').where('roomId', '=', roomId).where('participantId', '=', participantId)
  // Who was denied by mistake can be admitted; who was admitted is in the call, and removed from there.
  const open = decision === 'admitted' ? asked : asked.where('state', '!=', 'admitted')
  return open
    .set(of => ({
      state: decision,
      seenAt: now,
      decidedAt: of.case().when('state', '=', decision).then(of.ref('decidedAt')).else(now).end(),
    }))
    .returning('person')
    .executeTakeFirst()
}

export const admitAll = async (trx: Trx, roomId: string, now: number) => {
  await trx
    .updateTable('waiting')
    .set({ state: 'admitted', seenAt: now, decidedAt: now })
    .where('roomId', '=', roomId)
    .where('state', '=', 'waiting')
    .where('seenAt', '>', now - ASKS_WITHIN_MS)
    .execute()
}

/** Of those whom the room lets in now without asking: as `hasToWait` in rules.ts decides. */
export const forgetWaiting = async (trx: Trx, { id, waitingRoomAudience }: Row<'rooms'>) => {
  if (waitingRoomAudience === 'everyone') return
  const waiting = trx.deleteFrom('waiting').where('roomId', '=', id).where('state', '=', 'waiting')
  await (waitingRoomAudience === 'guests' ? waiting.where('person', 'like', 'user:%') : waiting).execute()
}

/** They end with the call. */
export const forgetDecisions = async (trx: Trx, roomId: string) => {
  await trx.deleteFrom('waiting').where('roomId', '=', roomId).where('state', '!=', 'waiting').execute()
}

/** Of those who never came, and decisions for which there was no call. */
export const forgetOldWaiting = (db: Db, now: number, batch?: number) =>
  deleteSome(
    db,
    'waiting',
    'id',
    sql`"seenAt" < ${now - DAY_MS} and not exists (
      select 1 from calls where calls."roomId" = waiting."roomId" and calls."endedAt" is null)`,
    batch,
  )
