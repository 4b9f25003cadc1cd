import { sql } from 'kysely'
import type { EventBody } from '../../contract/events.ts'
import type { SpaceRole } from '../../contract/spaces.ts'
import { isoTime } from '../times.ts'
import { recordEvents, wantedIn, wants } from './events.ts'
import { revokeOpenInvites } from './invites.ts'
import { passOnLinks } from './links.ts'
import { isOwner, type Trx } from './tables.ts'

/**
 * Ends all the user is in the space: membership, room roles and open invites; their rooms pass to the owner. The space's
 * webhook is told of each, if it wants to know.
 */
export const withdrawFrom = async (
  trx: Trx,
  spaceId: string,
  { userId, role }: { userId: string; role: SpaceRole },
  now: number,
  wake: (webhookId: string) => void,
) => {
  const { userId: ownerId, wantedEvents } = await trx
    .selectFrom('members')
    .select(['userId', wantedIn(sql.ref('members.spaceId'))])
    .where('spaceId', '=', spaceId)
    .where('role', '=', isOwner)
    .executeTakeFirstOrThrow()
  await trx.deleteFrom('members').where('spaceId', '=', spaceId).where('userId', '=', userId).execute()
  const roles = await trx
    .deleteFrom('roomRoles')
    .where('spaceId', '=', spaceId)
    .where('userId', '=', userId)
    .returning(['roomId', 'role'])
    .execute()
  await passOnLinks(trx, spaceId, userId, ownerId)
  const rooms = await trx
    .updateTable('rooms')
    .set({ creatorId: ownerId, updatedAt: now })
    .where('spaceId', '=', spaceId)
    .where('creatorId', '=', userId)
    .returning(['id', 'name', 'externalId'])
    .execute()
  await revokeOpenInvites(trx, spaceId, userId, now)
  if (wantedEvents === null) return
  const at = { spaceId, occurredAt: isoTime(now) }
  const events: EventBody[] = [
    ...roles.map(({ roomId, role }) => ({ eventName: 'role_revoked' as const, roomId, ...at, userId, role })),
    ...rooms.map(({ id: roomId, name, externalId }) => ({
      eventName: 'room_updated' as const,
      roomId,
      ...at,
      name,
      externalId,
      fields: 'creatorId',
    })),
    { eventName: 'member_left', roomId: '', ...at, userId, role },
  ]
  const wanted = events.filter(({ eventName }) => wants({ wantedEvents }, eventName))
  await recordEvents(trx, spaceId, wanted, now, wake)
}

/** The room roles of a user in spaces they are no member of. */
export const endOtherRoles = async (trx: Trx, userId: string, now: number, wake: (webhookId: string) => void) => {
  const roles = await trx
    .deleteFrom('roomRoles')
    .where('userId', '=', userId)
    .returning(['spaceId', 'roomId', 'role', wantedIn(sql.ref('roomRoles.spaceId'))])
    .execute()
  const told = roles.filter(role => wants(role, 'role_revoked'))
  for (const [spaceId, ended] of Map.groupBy(told, role => role.spaceId)) {
    const at = { spaceId, occurredAt: isoTime(now) }
    const events = ended.map(({ roomId, role }) => ({
      eventName: 'role_revoked' as const,
      roomId,
      ...at,
      userId,
      role,
    }))
    await recordEvents(trx, spaceId, events, now, wake)
  }
}
