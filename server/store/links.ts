import { sql } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import type { NewLink } from '../../contract/links.ts'
import type { RoomRole } from '../../contract/roles.ts'
import { hashToken, type Keys, randomToken } from '../identity/keys.ts'
import { newId, oldestId } from '../ids.ts'
import { type LinkMaker, linkRefusal } from '../rules.ts'
import { banOf } from './bans.ts'
import { deleteSome } from './batches.ts'
import { wantedIn } from './events.ts'
import { shared } from './lock.ts'
import { page } from './page.ts'
import { preparedForNext } from './prepared.ts'
import type { Db, Row, Trx } from './tables.ts'

const DEFAULT_TTL = 86_400

const insertLink = preparedForNext<Omit<Row<'links'>, 'usedAt' | 'revokedAt'>>((db, param) =>
  db.insertInto('links').values({
    id: param('id'),
    hash: param('hash'),
    sealed: param('sealed'),
    label: param('label'),
    roomId: param('roomId'),
    role: param('role'),
    username: param('username'),
    externalUserId: param('externalUserId'),
    isPermanent: param('isPermanent'),
    createdBy: param('createdBy'),
    createdAt: param('createdAt'),
    expiresAt: param('expiresAt'),
    usedAt: null,
    revokedAt: null,
  }),
)

/** Gives the token of the new link, which is stored as a hash and, to be copied again, sealed. */
export const createLink = async (
  trx: Trx,
  keys: Keys,
  roomId: string,
  createdBy: string,
  link: NewLink,
  now: number,
): Promise<{ id: string; token: string }> => {
  const id = newId(now)
  const token = randomToken()
  await insertLink(trx, {
    id,
    hash: hashToken(token),
    sealed: keys.seal(token, id),
    label: link.label?.trim() ?? null,
    roomId,
    role: link.role,
    username: link.username?.trim() ?? null,
    externalUserId: link.externalUserId ?? null,
    isPermanent: link.isPermanent ?? false,
    createdBy,
    createdAt: now,
    expiresAt: now + (link.ttl ?? DEFAULT_TTL) * 1000,
  })
  return { id, token }
}

export interface FlatMaker {
  createdBy: string | null
  roomCreatorId: string
  makerRole: RoomRole | null
  makerBanId: string | null
}

/** Of links and their rooms, what `makerFrom` reads. */
export const makerColumns = [
  'links.createdBy as createdBy',
  'rooms.creatorId as roomCreatorId',
  sql<RoomRole | null>`(select role from "roomRoles" as r
    where r."roomId" = rooms.id and r."userId" = links."createdBy")`.as('makerRole'),
  banOf(sql`'user:' || links."createdBy"`).as('makerBanId'),
] as const

export const makerFrom = ({ createdBy, roomCreatorId, makerRole, makerBanId }: FlatMaker): LinkMaker => ({
  isRoomCreator: createdBy === roomCreatorId,
  roomRole: makerRole,
  isBanned: makerBanId !== null,
})

/** Each with its maker. */
const linksOf = (db: Db, roomId: string) =>
  db
    .selectFrom('links')
    .innerJoin('rooms', 'rooms.id', 'links.roomId')
    .leftJoin('users', 'users.id', 'links.createdBy')
    .where('links.roomId', '=', roomId)
    .selectAll('links')
    .select(makerColumns)
    .select(['users.username as makerUsername', 'users.displayName as makerDisplayName'])

/** Open links are those that `linkRefusal` refuses for their maker at most. */
export const listLinks = (
  db: Db,
  roomId: string,
  { state, ...query }: PageQuery & { state?: 'open' | 'ended' },
  now: number,
) => {
  const all = linksOf(db, roomId)
  const isOpen = sql<boolean>`(links."revokedAt" is null and (links."usedAt" is null or links."isPermanent" = 1)
    and links."expiresAt" > ${now})`
  const links = state === undefined ? all : all.where(state === 'open' ? isOpen : sql<boolean>`not ${isOpen}`)
  return page(links, 'links.id', 'desc', query, link => link.id)
}

export const findLinkOf = (db: Db, roomId: string, id: string) =>
  linksOf(db, roomId).where('links.id', '=', id).executeTakeFirst()

export const listLinkUses = (db: Db, linkId: string, query: PageQuery) =>
  page(
    db.selectFrom('linkUses').select(['id', 'name', 'usedAt']).where('linkId', '=', linkId),
    'linkUses.id',
    'desc',
    query,
    use => use.id,
  )

export const findLinkOfGuest = (db: Db, guestId: string) =>
  db
    .selectFrom('guests')
    .innerJoin('links', 'links.id', 'guests.linkId')
    .select(['links.id', 'links.isPermanent', 'links.username', 'links.externalUserId'])
    .where('guests.id', '=', guestId)
    .executeTakeFirst()

/** What ends with the user's right to make links in the room: links that could still be used, and their guests. */
export const countFromLinksOf = async (db: Db, roomId: string, userId: string, now: number) => {
  const made = db
    .selectFrom('links')
    .where('createdBy', '=', userId)
    .where('roomId', '=', roomId)
    .where('revokedAt', 'is', null)
  const { links } = await made
    .where('links.expiresAt', '>', now)
    .where(usable => usable.or([usable('usedAt', 'is', null), usable('isPermanent', '=', true)]))
    .select(count => count.fn.countAll<number>().as('links'))
    .executeTakeFirstOrThrow()
  const { guests } = await made
    .innerJoin('guests', 'guests.linkId', 'links.id')
    .where('guests.expiresAt', '>', now)
    .select(count => count.fn.countAll<number>().as('guests'))
    .executeTakeFirstOrThrow()
  return { links: Number(links), guests: Number(guests) }
}

/** Once revoked it stays so, with the time of the first revocation; `isFirst`: this is it. */
export const revokeLink = async (trx: Trx, roomId: string, id: string, now: number) => {
  const link = await trx
    .selectFrom('links')
    .select(['username', 'label'])
    .where('id', '=', id)
    .where('roomId', '=', roomId)
    .executeTakeFirst()
  if (!link) return undefined
  const first = await trx
    .updateTable('links')
    .set({ revokedAt: now })
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return { ...link, isFirst: first !== undefined }
}

/**
 * With the rooms of a space that pass from one creator to another: links for users go on in the new one's name. Links
 * for moderators end with the former creator's right to make them.
 */
export const passOnLinks = async (trx: Trx, spaceId: string, from: string, to: string) => {
  await trx
    .updateTable('links')
    .set({ createdBy: to })
    .where('createdBy', '=', from)
    .where('role', '=', 'user')
    .where(
      'roomId',
      'in',
      trx.selectFrom('rooms').select('id').where('spaceId', '=', spaceId).where('creatorId', '=', from),
    )
    .execute()
}

const findLink = (db: Db, token: string) =>
  db
    .selectFrom('links')
    .innerJoin('rooms', 'rooms.id', 'links.roomId')
    .innerJoin('spaces', 'spaces.id', 'rooms.spaceId')
    .selectAll('links')
    .select(makerColumns)
    .select(['rooms.spaceId', 'rooms.alias', 'rooms.name as roomName', 'rooms.type'])
    .select(['rooms.isRecordAllowed', 'rooms.isAutoRecordingAllowed'])
    .select(['spaces.name as spaceName', 'spaces.logo', wantedIn(sql.ref('rooms.spaceId'))])
    .where('links.hash', '=', hashToken(token))
    .executeTakeFirst()

export type FoundLink = NonNullable<Awaited<ReturnType<typeof findLink>>>

/** Why a link can't be used. */
export type LinkRefusal = 'not_found' | NonNullable<ReturnType<typeof linkRefusal>>

/** The link, if it can still be used. */
export const inspectLink = async (db: Db, token: string, now: number): Promise<FoundLink | LinkRefusal> => {
  const link = await findLink(db, token)
  return link ? (linkRefusal(link, makerFrom(link), now) ?? link) : 'not_found'
}

/** Undefined: it can't be used any more. */
const takeLink = (trx: Trx, { id, isPermanent, usedAt }: FoundLink, now: number) => {
  // Of a link for many only the first use is written: thousands who come at once would wait for each other's commit.
  if (isPermanent && usedAt !== null)
    return shared(
      trx,
      trx.selectFrom('links').select('id').where('id', '=', id).where('revokedAt', 'is', null),
    ).executeTakeFirst()
  return trx
    .updateTable('links')
    .set(update => ({ usedAt: update.fn.coalesce('usedAt', update.val(now)) }))
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .where(usable => usable.or([usable('usedAt', 'is', null), usable('isPermanent', '=', true)]))
    .returning('id')
    .executeTakeFirst()
}

/** Uses the link: a one-time link by exactly one caller. Gives the new guest; `name_required`: the link has none, and none was given. */
export const redeemLink = async (
  trx: Trx,
  token: string,
  givenName: string | undefined,
  guestSeconds: number,
  now: number,
): Promise<{ link: FoundLink; guest: Row<'guests'> } | LinkRefusal | 'name_required'> => {
  const link = await inspectLink(trx, token, now)
  if (typeof link === 'string') return link
  const name = (link.username ?? givenName)?.trim()
  if (!name) return 'name_required'
  const used = await takeLink(trx, link, now)
  // Used, revoked or deleted since it was looked at, none of which is ever undone: the next look says which.
  if (!used) return redeemLink(trx, token, givenName, guestSeconds, now)
  const guest = { id: newId(now), linkId: link.id, name, createdAt: now, expiresAt: now + guestSeconds * 1000 }
  await trx.insertInto('guests').values(guest).execute()
  await trx.insertInto('linkUses').values({ id: guest.id, linkId: link.id, name, usedAt: now }).execute()
  return { link, guest }
}

/** From the next time they join; the use of the link keeps the name it was made under. */
export const renameGuest = async (trx: Trx, id: string, name: string) => {
  await trx.updateTable('guests').set({ name }).where('id', '=', id).execute()
}

/** Gives the room they were a guest of; null: there is no such guest any more. */
export const endGuest = async (db: Db, id: string): Promise<string | null> => {
  const guest = await db.deleteFrom('guests').where('id', '=', id).returning('linkId').executeTakeFirst()
  if (!guest) return null
  const link = await db.selectFrom('links').select('roomId').where('id', '=', guest.linkId).executeTakeFirst()
  return link?.roomId ?? null
}

export const forgetExpiredGuests = (db: Db, now: number, batch?: number) =>
  deleteSome(db, 'guests', 'id', sql`"expiresAt" <= ${now}`, batch)

/** Those that had ended before then, one way or another, and whose guests are forgotten. */
export const forgetOldLinks = (db: Db, before: number, batch?: number) =>
  deleteSome(
    db,
    'links',
    'id',
    // None ended before it was made, and ids grow with time.
    sql`"id" < ${oldestId(before)}
      and ("expiresAt" < ${before} or "revokedAt" < ${before} or ("isPermanent" = 0 and "usedAt" < ${before}))
      and not exists (select 1 from "guests" where "guests"."linkId" = "links"."id")`,
    batch,
  )
