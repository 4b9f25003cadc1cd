import { sql } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import type { InviteRole } from '../../contract/invites.ts'
import type { SpaceRole } from '../../contract/spaces.ts'
import { hashToken, type Keys, randomToken } from '../identity/keys.ts'
import { newId } from '../ids.ts'
import { inviteRefusal } from '../rules.ts'
import { isPostgres } from './dialect.ts'
import { type Listening, wantedIn } from './events.ts'
import { lockStanding } from './lock.ts'
import { addMember, type MemberChange } from './members.ts'
import { mapPage, page } from './page.ts'
import type { Db, Trx } from './tables.ts'

export const createInvite = async (
  trx: Trx,
  keys: Keys,
  spaceId: string,
  { role, label }: { role: InviteRole; label?: string | undefined },
  createdBy: string,
  now: number,
) => {
  const id = newId(now)
  const token = randomToken()
  await trx
    .insertInto('invites')
    .values({
      id,
      hash: hashToken(token),
      sealed: keys.seal(token, id),
      spaceId,
      role,
      label: label?.trim() ?? null,
      createdBy,
      createdAt: now,
      usedAt: null,
      usedBy: null,
      revokedAt: null,
    })
    .execute()
  return { id, token }
}

/**
 * `role`: only the invites for it. Their ids here are the public ones, by which they are used; those of the rows for who
 * may look at invites but not use them.
 */
export const listInvites = async (
  db: Db,
  keys: Keys,
  spaceId: string,
  { role, isUsable }: { role: InviteRole | null; isUsable: boolean },
  query: PageQuery,
) => {
  let invites = db
    .selectFrom('invites')
    .leftJoin('users', 'users.id', 'invites.usedBy')
    .selectAll('invites')
    .select(['users.username as usedByUsername', 'users.displayName as usedByDisplayName'])
    .where('invites.spaceId', '=', spaceId)
  if (role) invites = invites.where('invites.role', '=', role)
  const found = await page(invites, 'invites.id', 'desc', query, invite => invite.id)
  return mapPage(found, ({ sealed, hash, ...invite }) => ({
    ...invite,
    id: isUsable ? keys.unseal(sealed, invite.id) : invite.id,
  }))
}

export const findInvite = (db: Db, spaceId: string, token: string) =>
  db
    .selectFrom('invites')
    .selectAll()
    .where('hash', '=', hashToken(token))
    .where('spaceId', '=', spaceId)
    .executeTakeFirst()

/** With the role its maker has today. */
const inviteWithMaker = (db: Db, spaceId: string, token: string) =>
  db
    .selectFrom('invites')
    .leftJoin('members', on =>
      on.onRef('members.spaceId', '=', 'invites.spaceId').onRef('members.userId', '=', 'invites.createdBy'),
    )
    .select(['invites.id', 'invites.role', 'invites.usedAt', 'invites.revokedAt', 'members.role as makerRole'])
    .select(wantedIn(sql.ref('invites.spaceId')))
    .where('invites.hash', '=', hashToken(token))
    .where('invites.spaceId', '=', spaceId)

/** Nobody else uses or revokes it until the transaction ends. */
const holdInvite = (trx: Trx, spaceId: string, token: string) => {
  const invite = inviteWithMaker(trx, spaceId, token)
  return (isPostgres(trx) ? invite.forUpdate('invites') : invite).executeTakeFirst()
}

/** Why an invite can't be used. */
export type InviteRefusal = 'not_found' | NonNullable<ReturnType<typeof inviteRefusal>>

/** Where the invite leads, if it can still be used. */
export const inspectInvite = async (db: Db, spaceId: string, token: string) => {
  const invite = await inviteWithMaker(db, spaceId, token)
    .innerJoin('spaces', 'spaces.id', 'invites.spaceId')
    .select(['spaces.name as spaceName', 'spaces.logo'])
    .executeTakeFirst()
  if (!invite) return 'not_found'
  return inviteRefusal(invite, invite.makerRole) ?? invite
}

/**
 * Uses the invite, which exactly one caller can, and makes the user a member (`change`: what became of them). Gives the
 * row's id, not the public one.
 */
export const activateInvite = async (
  trx: Trx,
  spaceId: string,
  token: string,
  userId: string,
  now: number,
): Promise<({ id: string; role: SpaceRole; change: MemberChange | null } & Listening) | InviteRefusal> => {
  // The space first, as everywhere: removing members or the space locks it, then its invites.
  await lockStanding(trx, { spaceId }, false)
  const invite = await holdInvite(trx, spaceId, token)
  if (!invite) return 'not_found'
  const refusal = inviteRefusal(invite, invite.makerRole)
  if (refusal) return refusal
  await trx.updateTable('invites').set({ usedAt: now, usedBy: userId }).where('id', '=', invite.id).execute()
  const { id, wantedEvents } = invite
  return { id, ...(await addMember(trx, spaceId, userId, invite.role, now)), space: { id: spaceId }, wantedEvents }
}

/** False: it was used or revoked before. */
export const revokeInvite = async (trx: Trx, spaceId: string, token: string, now: number): Promise<boolean> =>
  (await trx
    .updateTable('invites')
    .set({ revokedAt: now })
    .where('hash', '=', hashToken(token))
    .where('spaceId', '=', spaceId)
    .where('usedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .returning('id')
    .executeTakeFirst()) !== undefined

/** Those the user made that nobody has used yet. */
export const revokeOpenInvites = async (trx: Trx, spaceId: string, createdBy: string, now: number) => {
  await trx
    .updateTable('invites')
    .set({ revokedAt: now })
    .where('spaceId', '=', spaceId)
    .where('createdBy', '=', createdBy)
    .where('usedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .execute()
}
