import { revokeOpenInvites } from './invites.ts'
import { passOnLinks } from './links.ts'
import { isOwner, type Trx } from './tables.ts'

/** Ends all the user is in the space: membership, room roles and open invites; their rooms pass to the owner. */
export const withdrawFrom = async (trx: Trx, spaceId: string, userId: string, now: number) => {
  const { userId: ownerId } = await trx
    .selectFrom('members')
    .select('userId')
    .where('spaceId', '=', spaceId)
    .where('role', '=', isOwner)
    .executeTakeFirstOrThrow()
  await trx.deleteFrom('members').where('spaceId', '=', spaceId).where('userId', '=', userId).execute()
  await trx.deleteFrom('roomRoles').where('spaceId', '=', spaceId).where('userId', '=', userId).execute()
  await passOnLinks(trx, spaceId, userId, ownerId)
  await trx
    .updateTable('rooms')
    .set({ creatorId: ownerId })
    .where('spaceId', '=', spaceId)
    .where('creatorId', '=', userId)
    .execute()
  await revokeOpenInvites(trx, spaceId, userId, now)
}
