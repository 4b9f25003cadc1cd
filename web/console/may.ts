import type { InviteRole } from '../../contract/invites.ts'
import type { Space, SpaceRole } from '../../contract/spaces.ts'
import type { Room } from './data/rooms.ts'
import type { Me } from './data/session.ts'

/*
 * What the page offers to whom, after the rules of the service (server/rules.ts), which decides. Offering what would be
 * refused, or hiding what would be allowed, is all that can go wrong here.
 */

type Role = Pick<Space, 'role'>

export const ownsSpace = ({ role }: Role) => role === 'role_space_owner'
export const managesSpace = (space: Role) => ownsSpace(space) || space.role === 'role_space_moderator'
export const mayInvite = (space: Role, role: InviteRole) =>
  ownsSpace(space) || (managesSpace(space) && role === 'role_space_user')
export const mayRemoveMember = (space: Role, me: Me, member: { userId: string; role: SpaceRole }) =>
  member.role !== 'role_space_owner' &&
  (member.userId === me.id || ownsSpace(space) || (managesSpace(space) && member.role === 'role_space_user'))
export const hasActivePlan = ({ plan, planActiveUntil }: Pick<Space, 'plan' | 'planActiveUntil'>) =>
  plan !== 'free' && (planActiveUntil === null || Date.parse(planActiveUntil) > Date.now())

type RoomOf = Pick<Room, 'creatorId' | 'role'>

/** Guest links and moderation: the room's own authority, which a space owner does not have by itself. */
export const managesRoom = (room: RoomOf, me: Me) => room.creatorId === me.id || room.role === 'role_room_moderator'
/** Its settings, its roles and its past calls. */
export const mayChangeRoom = (room: RoomOf, space: Role, me: Me) => managesRoom(room, me) || managesSpace(space)
export const mayDeleteRoom = (room: RoomOf, space: Role, me: Me) => room.creatorId === me.id || managesSpace(space)
