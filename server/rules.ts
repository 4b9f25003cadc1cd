import type { ErrorCode } from '../contract/errors.ts'
import type { InviteRole } from '../contract/invites.ts'
import type { GuestRole } from '../contract/links.ts'
import type { RoomRole } from '../contract/roles.ts'
import type { SpaceRole } from '../contract/spaces.ts'
import type { MediaRights } from './media/engine.ts'
import type { Row } from './store/tables.ts'

/*
 * WHO MAY DO WHAT: all of it, as pure functions over the caller's standing. Space authority and room authority are
 * separate: a space role governs the space, a room role governs the room.
 *
 * A name says how it answers: a `…Refusal` with the code of the refusal, or null for who may; all others with true or
 * false.
 */

export interface UserCaller {
  kind: 'user' | 'client'
  sessionId: string
  userId: string
  name: string
  isOperator: boolean
}
export interface GuestCaller {
  kind: 'guest'
  guestId: string
  linkId: string
  name: string
  guestRole: GuestRole
  externalUserId: string | null
}
export type Caller = UserCaller | GuestCaller

export interface UserStanding {
  caller: UserCaller
}
export interface SpaceStanding extends UserStanding {
  space: Row<'spaces'>
  /** null: not a member. */
  spaceRole: SpaceRole | null
  hasActivePlan: boolean
}
export interface RoomStanding {
  caller: Caller
  space: Row<'spaces'>
  spaceRole: SpaceRole | null
  room: Row<'rooms'>
  roomRole: RoomRole | null
  isRoomCreator: boolean
  /** A moderator has removed them from the room. They may know of it, but take no part in it. */
  isBanned: boolean
}

type Refusal = ErrorCode | null

/** A rule a route declares. `scope` says what the gate must find before it may be asked. */
export interface Rule<S> {
  scope: 'anyone' | 'user' | 'space' | 'room'
  says: string
  refusal: (at: S) => Refusal
}

const rule =
  <S>(scope: Rule<S>['scope']) =>
  (says: string, refusal: Rule<S>['refusal']): Rule<S> => ({ scope, says, refusal })
const asUser = rule<UserStanding>('user')
const inSpace = rule<SpaceStanding>('space')
const inRoom = rule<RoomStanding>('room')

const allowed = () => null
const onlyIf =
  <S>(may: (at: S) => boolean) =>
  (at: S): Refusal =>
    may(at) ? null : 'not_allowed'

// What the gate shows: a space or room that is not seen is not there (404).

/** A public space is seen by every user, another by its members. */
export const seesSpace = (at: Pick<SpaceStanding, 'space' | 'spaceRole'>) => at.space.isPublic || at.spaceRole !== null

/** A room is seen with its space; a room role, or a guest link, makes it seen by itself. */
export const seesRoom = (at: RoomStanding) =>
  at.caller.kind === 'guest' || seesSpace(at) || at.roomRole !== null || at.isRoomCreator

const owns = (at: Pick<SpaceStanding, 'spaceRole'>) => at.spaceRole === 'role_space_owner'
/** Owner or space moderator. */
export const managesSpace = (at: Pick<SpaceStanding, 'spaceRole'>) =>
  owns(at) || at.spaceRole === 'role_space_moderator'
/** Room creator or room moderator. */
const managesRoom = (at: Pick<RoomStanding, 'isRoomCreator' | 'roomRole'>) =>
  at.isRoomCreator || at.roomRole === 'role_room_moderator'

// Anyone, and any user.

export const anyone: Rule<unknown> = { scope: 'anyone', says: 'No token is required.', refusal: allowed }
/** interface.md §4 rules 1 and 2; an invite is its own permission to activate it, seen or not (§3). */
export const anyUser = asUser('Any user.', allowed)
export const operatorOnly = asUser(
  'Only an operator can do this.',
  onlyIf(at => at.caller.isOperator),
)

/** A stolen session must not become the account. */
export const mayChangePassword = (knowsCurrentPassword: boolean) => knowsCurrentPassword

/** With a public address or a proxy in front, who connects from this machine may speak for anybody. */
export const mayReadMetrics = (scraper: { holdsToken: boolean; isOnThisMachine: boolean; isBehindProxy: boolean }) =>
  scraper.holdsToken || (scraper.isOnThisMachine && !scraper.isBehindProxy)

// Spaces.

export const mayReadSpace = inSpace('Anyone who can see the space.', allowed)
export const mayChangeSpace = inSpace('Only the space owner can do this.', onlyIf(owns))
export const mayCreateRooms = inSpace(
  'Only the space owner or a space moderator can create rooms.',
  onlyIf(managesSpace),
)
export const mayListMembers = inSpace(
  'Only the space owner or a space moderator can see the members.',
  onlyIf(managesSpace),
)
export const mayManageInvites = inSpace(
  'Only the space owner or a space moderator can manage invites.',
  onlyIf(managesSpace),
)
/** Asked again with the invite at hand: a moderator neither makes nor sees invites for moderators. */
export const mayManageInvitesFor = (at: Pick<SpaceStanding, 'spaceRole'>, role: InviteRole) =>
  owns(at) || (at.spaceRole === 'role_space_moderator' && role === 'role_space_user')
/** Why an invite admits nobody. It counts while whoever made it, with the role they have today, may still make it. */
export const inviteRefusal = (
  { role, usedAt, revokedAt }: Pick<Row<'invites'>, 'role' | 'usedAt' | 'revokedAt'>,
  makerRole: SpaceRole | null,
) => {
  if (usedAt !== null) return 'used'
  return revokedAt !== null || !mayManageInvitesFor({ spaceRole: makerRole }, role) ? 'revoked' : null
}
/** Everybody in the space may at least leave it; who else may be removed is decided with the member at hand. */
export const mayRemoveMembers = inSpace(
  'Only members can do this.',
  onlyIf(at => at.spaceRole !== null),
)
export const mayRemoveMember = (at: SpaceStanding, member: { userId: string; role: SpaceRole }) =>
  member.role !== 'role_space_owner' &&
  (member.userId === at.caller.userId || owns(at) || (managesSpace(at) && member.role === 'role_space_user'))

export const maySeeAudit = inSpace('Only the space owner can see the audit log.', onlyIf(owns))

/** interface.md §4 rule 5. */
export const mayManageWebhook = inSpace(
  'Only the space owner can manage the webhook.',
  at => onlyIf(owns)(at) ?? (at.hasActivePlan ? null : 'plan_required'),
)
export const planIsActive = (space: Pick<Row<'spaces'>, 'plan' | 'planActiveUntil'>, now: number) =>
  space.plan !== 'free' && (space.planActiveUntil === null || space.planActiveUntil > now)

// Rooms.

/**
 * interface.md §2 and §4 rule 8: a space's privacy asks for an invite, a room's privacy for a role, and without either
 * grant only the creator or a moderator gets in everywhere. A guest link is its own permission.
 */
const entryRefusal = (at: RoomStanding): Refusal => {
  if (at.caller.kind === 'guest' || managesSpace(at) || at.isRoomCreator) return null
  if (!at.space.isPublic && at.spaceRole === null) return 'invite_required'
  return at.room.isPublic || at.roomRole !== null ? null : 'role_required'
}
/** Whoever signs in may join. */
export const isOpenToUsers = (space: Pick<Row<'spaces'>, 'isPublic'>, room: Pick<Row<'rooms'>, 'isPublic'>) =>
  space.isPublic && room.isPublic
/** Nobody removes the room creator, and who was removed before the room became theirs is not kept out of it. */
const banRefusal = (at: Pick<RoomStanding, 'isRoomCreator' | 'isBanned'>): Refusal =>
  at.isBanned && !at.isRoomCreator ? 'removed' : null

/** A ban keeps the owner out of the call, but takes nobody's own space away from them. */
const unlessOwner =
  (may: (at: RoomStanding) => boolean) =>
  (at: RoomStanding): Refusal =>
    owns(at) ? null : (onlyIf(may)(at) ?? banRefusal(at))
const managementRefusal = unlessOwner(at => managesRoom(at) || managesSpace(at))

export const mayReadRoom = inRoom('Anyone who can join the room.', entryRefusal)
/** Also the chat, and who is there. */
export const mayJoin = inRoom('Anyone who can join the room.', at => entryRefusal(at) ?? banRefusal(at))
export const mayChangeRoom = inRoom(
  'Only the room creator, a room moderator, the space owner or a space moderator can do this.',
  managementRefusal,
)
export const mayDeleteRoom = inRoom(
  'Only the room creator, the space owner or a space moderator can delete the room.',
  unlessOwner(at => at.isRoomCreator || managesSpace(at)),
)
export const mayManageRoles = inRoom(
  'Only the room creator, a room moderator, the space owner or a space moderator can manage room roles.',
  managementRefusal,
)
/** Nobody lowers or removes the room creator. */
export const mayGrantRole = ({ room }: Pick<RoomStanding, 'room'>, userId: string, role: RoomRole) =>
  userId !== room.creatorId || role === 'role_room_moderator'
export const mayRevokeRole = ({ room }: Pick<RoomStanding, 'room'>, userId: string) => userId !== room.creatorId

// Guest links.

/** Whoever makes a guest link, or made it: what they are in its room today. */
export type LinkMaker = Pick<RoomStanding, 'isRoomCreator' | 'roomRole' | 'isBanned'>
/** A moderator who was removed manages nothing: they would let themselves in again by a link. */
const roomManagerRefusal = (at: LinkMaker) => onlyIf(managesRoom)(at) ?? banRefusal(at)
/** interface.md §4 rule 4. */
export const mayGenerateAccess = inRoom(
  'Only the room creator or a room moderator can manage guest links. Owning the space is not enough.',
  roomManagerRefusal,
)
/** Authority does not outlive itself: a link, and the guests it let in, count while its maker may still make links. */
export const isLinkInForce = (maker: LinkMaker) => roomManagerRefusal(maker) === null
/** Why a guest link lets nobody in. */
export const linkRefusal = (
  {
    revokedAt,
    usedAt,
    isPermanent,
    expiresAt,
  }: Pick<Row<'links'>, 'revokedAt' | 'usedAt' | 'isPermanent' | 'expiresAt'>,
  maker: LinkMaker,
  now: number,
) => {
  if (revokedAt !== null || !isLinkInForce(maker)) return 'revoked'
  if (usedAt !== null && !isPermanent) return 'used'
  return expiresAt > now ? null : 'expired'
}

// Calls.

/** On the air in a webinar, and moderation: interface.md §2, and a guest whose link says so. */
export const isOnModeratorsSide = (at: RoomStanding) =>
  at.caller.kind === 'guest' ? at.caller.guestRole === 'moderator' : managesRoom(at)

export const participantRole = (at: RoomStanding) => (isOnModeratorsSide(at) ? 'moderator' : 'user')

/** A moderator who was removed does not let themselves in again. */
export const mayModerate = inRoom(
  'Only the room creator or a room moderator can do this.',
  at => onlyIf(isOnModeratorsSide)(at) ?? banRefusal(at),
)

/** How long others than the moderators' side stay out after a moderator has ended the call, unless another one begins. */
const ENDED_MS = 60_000
type LastCall = Pick<Row<'calls'>, 'wasEnded' | 'endedAt'>
/** Asked with the room's last call at hand, if it has had one. */
export const callEndedRefusal = (at: RoomStanding, last: LastCall | undefined, now: number) => {
  const wasJustEnded = last?.wasEnded && last.endedAt !== null && last.endedAt > now - ENDED_MS
  return wasJustEnded && !isOnModeratorsSide(at) ? 'call_ended' : null
}
/** All that decides whether someone may be in the call at this moment. */
export const joinRefusal = (at: RoomStanding, last: LastCall | undefined, now: number): Refusal =>
  mayJoin.refusal(at) ?? callEndedRefusal(at, last, now)

export const chatRefusal = ({ room }: RoomStanding) => (room.isChatAllowed ? null : 'chat_off')

/**
 * interface.md §2, room types: in a lesson everyone may go on the air, in a webinar only the moderators' side, and
 * whoever a moderator has given the floor where the room allows that.
 */
export const mediaRights = (at: RoomStanding, hasFloor: boolean): MediaRights => {
  const onAir = at.room.type === 'lesson' || isOnModeratorsSide(at) || (hasFloor && at.room.isFloorAllowed)
  return { camera: onAir, microphone: onAir, screen: onAir && at.room.isScreensharingAllowed }
}
export const mayGiveFloor = ({ room }: RoomStanding) => room.isFloorAllowed
/** A guest removes nobody who moderates the room or manages the space by an account; nobody removes the room creator. */
export const mayRemoveFromCall = (at: RoomStanding, target: RoomStanding) =>
  !target.isRoomCreator &&
  !(
    at.caller.kind === 'guest' &&
    target.caller.kind !== 'guest' &&
    (isOnModeratorsSide(target) || managesSpace(target))
  )
/** Past calls and attendance. */
export const maySeeCalls = inRoom(
  'Only the room creator, a room moderator, the space owner or a space moderator can see past calls.',
  at => (managesSpace(at) ? null : roomManagerRefusal(at)),
)
export const maySeeCallsOfSpace = inSpace(
  'Only the space owner or a space moderator can see all past calls.',
  onlyIf(managesSpace),
)
