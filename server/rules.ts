import type { ErrorCode } from '../contract/errors.ts'
import type { InviteRole } from '../contract/invites.ts'
import type { GuestRole } from '../contract/links.ts'
import type { Operation } from '../contract/operation.ts'
import type { RoomRole } from '../contract/roles.ts'
import type { Scope } from '../contract/scopes.ts'
import type { SpaceRole } from '../contract/spaces.ts'
import type { Config } from './config.ts'
import type { MediaRights } from './media/engine.ts'
import type { Row } from './store/tables.ts'

/*
 * WHO MAY DO WHAT: all of it, as pure functions over the caller's standing. Space authority and room authority are
 * separate: a space role governs the space, a room role governs the room.
 *
 * A `Rule` is what a route declares. A `…Refusal` function answers null or an error code; `is…`, `sees…`, `manages…` and
 * the other `may…` functions answer true or false. The few others return what they are named after.
 */

export interface UserCaller {
  kind: 'user' | 'client'
  sessionId: string
  /** Of a personal access token, as are the scopes; null: the caller has signed in. */
  tokenName: string | null
  scopes: readonly Scope[] | null
  userId: string
  name: string
  /** Never with a personal access token: none does anything of an operator's. */
  isOperator: boolean
}
export interface GuestCaller {
  kind: 'guest'
  guestId: string
  linkId: string
  name: string
  /** The name that the link gives; null: it gives none. */
  linkName: string | null
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
  /** Of the space's webhook: see `events.ts` of the store. */
  wantedEvents: string | null
}
export interface RoomStanding {
  caller: Caller
  space: Pick<Row<'spaces'>, 'id' | 'isPublic'>
  spaceRole: SpaceRole | null
  room: Row<'rooms'>
  roomRole: RoomRole | null
  isRoomCreator: boolean
  /** A moderator has removed them from the room: they can see it, but not join. */
  isBanned: boolean
  /**
   * Where not everyone may come in: `admitted` has been in the call going on, or was let in by a moderator; `denied` was
   * turned away. null: neither, or it is of no matter in this room.
   */
  admission: 'admitted' | 'denied' | null
  wantedEvents: string | null
}

type Refusal = Exclude<ErrorCode, 'scope_required'> | null

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
export const seesSpace = (at: Pick<RoomStanding, 'space' | 'spaceRole'>) => at.space.isPublic || at.spaceRole !== null

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

/**
 * A personal access token does what its scopes say, and nothing with which its holder could become more than it is:
 * `session_required`. To write includes to read.
 */
export const scopeRefusal = ({ scopes }: Pick<UserCaller, 'scopes'>, needed: Operation['scope']) => {
  if (scopes === null || needed === 'any') return null
  if (!needed) return 'session_required'
  return hasScope({ scopes }, needed) ? null : 'scope_required'
}
export const hasScope = ({ scopes }: Pick<UserCaller, 'scopes'>, needed: Scope) =>
  scopes === null || scopes.some(scope => scope === needed || scope === needed.replace(':read', ':write'))

/** A stolen session must not become the account. */
export const mayChangePassword = (knowsCurrentPassword: boolean) => knowsCurrentPassword

export const accountDeletionRefusal = (spaceRoles: SpaceRole[], isLastOperator: boolean) => {
  if (spaceRoles.some(spaceRole => owns({ spaceRole }))) return 'owns_spaces'
  return isLastOperator ? 'last_operator' : null
}

/** With a public address or a proxy in front, a connection from this machine may be forwarded for anyone. */
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
/** An invite can be used only while its creator, with the role they have today, may create it. */
export const inviteRefusal = (
  { role, usedAt, revokedAt }: Pick<Row<'invites'>, 'role' | 'usedAt' | 'revokedAt'>,
  makerRole: SpaceRole | null,
) => {
  if (usedAt !== null) return 'invite_used'
  return revokedAt !== null || !mayManageInvitesFor({ spaceRole: makerRole }, role) ? 'invite_revoked' : null
}
export const mayAddMembers = inSpace('Only the space owner can add members.', onlyIf(owns))
/** interface.md §4 rule 8 asks for an invite; the operator can allow owners to do without. Asked after `mayAddMembers`. */
export const directMembersRefusal = ({ directMembers }: Pick<Config, 'directMembers'>) =>
  directMembers ? null : 'direct_members_off'
/** Ownership is transferred, and changes hands in no other way. */
export const mayChangeMemberRole = (at: Pick<SpaceStanding, 'spaceRole'>, member: { role: SpaceRole }) =>
  owns(at) && member.role !== 'role_space_owner'
/** Every member may at least leave; for the others `mayRemoveMember` is asked with the member at hand. */
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
export const isPlanActive = (space: Pick<Row<'spaces'>, 'plan' | 'planActiveUntil'>, now: number) =>
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
/** The room creator can't be removed; a ban from before the room became theirs has no effect. */
const banRefusal = (at: Pick<RoomStanding, 'isRoomCreator' | 'isBanned'>): Refusal =>
  at.isBanned && !at.isRoomCreator ? 'removed' : null

/** A ban keeps the owner out of the call, but takes nobody's own space away from them. */
const unlessOwner =
  (may: (at: RoomStanding) => boolean) =>
  (at: RoomStanding): Refusal =>
    owns(at) ? null : (onlyIf(may)(at) ?? banRefusal(at))
const managementRefusal = unlessOwner(at => managesRoom(at) || managesSpace(at))

export const mayReadRoom = inRoom('Anyone who can join the room.', entryRefusal)
/** What `getRoomByAlias` tells, also without a token. API clients can't join, so no room is open to them. */
export const roomEntry = (
  at: RoomStanding | null,
  space: Pick<Row<'spaces'>, 'isPublic'>,
  room: Pick<Row<'rooms'>, 'isPublic'>,
): 'open' | 'sign_in' | 'private' => {
  if (at && at.caller.kind !== 'client' && mayReadRoom.refusal(at) === null) return 'open'
  return space.isPublic && room.isPublic ? 'sign_in' : 'private'
}
/** Who is to wait for a moderator's decision is told so when they ask. */
export const mayAskToJoin = inRoom('Anyone who can join the room.', at => entryRefusal(at) ?? banRefusal(at))
/** Also to chat, and to see the participants. `callEndedRefusal` is asked after it. */
export const mayJoin = inRoom('Anyone who can join the room.', at => mayAskToJoin.refusal(at) ?? admissionRefusal(at))
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

/** What its creator may do in the room is what a room moderator may. */
export const roomRoleOf = ({ isRoomCreator, roomRole }: Pick<RoomStanding, 'isRoomCreator' | 'roomRole'>) =>
  isRoomCreator ? 'role_room_moderator' : roomRole

// Guest links.

/** The creator of a guest link: what they are in its room today. */
export type LinkMaker = Pick<RoomStanding, 'isRoomCreator' | 'roomRole' | 'isBanned'>
/** A removed moderator manages nothing: they could rejoin by a link of their own. */
const roomManagerRefusal = (at: LinkMaker) => onlyIf(managesRoom)(at) ?? banRefusal(at)
/** interface.md §4 rule 4. */
export const mayGenerateAccess = inRoom(
  'Only the room creator or a room moderator can manage guest links. Owning the space is not enough.',
  roomManagerRefusal,
)
/** A link and its guests have access only while its creator may create links. */
export const isLinkInForce = (maker: LinkMaker) => roomManagerRefusal(maker) === null
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
  if (revokedAt !== null || !isLinkInForce(maker)) return 'link_revoked'
  if (usedAt !== null && !isPermanent) return 'link_used'
  return expiresAt > now ? null : 'link_expired'
}

// Calls.

/** On the air in a webinar, and moderation: interface.md §2, and a guest whose link says so. */
export const isOnModeratorsSide = (at: RoomStanding) =>
  at.caller.kind === 'guest' ? at.caller.guestRole === 'moderator' : managesRoom(at)

export const participantRole = (at: RoomStanding): GuestRole => (isOnModeratorsSide(at) ? 'moderator' : 'user')

/** Guests know each other and everyone else by name alone. */
export const seesUserIds = (at: RoomStanding) => at.caller.kind !== 'guest'
export const seesExternalUserIds = (at: RoomStanding) => isOnModeratorsSide(at) || managesSpace(at)

/** A removed moderator can't lift their own ban. */
export const mayModerate = inRoom(
  'Only the room creator or a room moderator can do this.',
  at => onlyIf(isOnModeratorsSide)(at) ?? banRefusal(at),
)

const hasToWait = ({ caller, room }: RoomStanding) =>
  room.waitingRoomAudience === 'everyone' || (room.waitingRoomAudience === 'guests' && caller.kind === 'guest')
/** A locked room lets nobody new in, a waiting room only whom a moderator admits; the moderators' side always. */
export const admissionRefusal = (at: RoomStanding) => {
  if (isOnModeratorsSide(at) || at.admission === 'admitted') return null
  if (at.room.isLocked) return 'room_locked'
  if (!hasToWait(at)) return null
  return at.admission === 'denied' ? 'denied' : 'not_admitted'
}
/** How long somebody who was denied stays out, if the call does not end before: a wrong click heals by itself. */
const DENIED_MS = 10 * 60_000
export const isDenialOver = ({ decidedAt }: Pick<Row<'waiting'>, 'decidedAt'>, now: number) =>
  decidedAt !== null && decidedAt <= now - DENIED_MS

/** How long others than the moderators' side stay out after a moderator has ended the call, unless another one begins. */
const ENDED_MS = 60_000
type LastCall = Pick<Row<'calls'>, 'wasEnded' | 'endedAt'>
/** Asked after `mayJoin`, with the room's last call at hand, if it has had one. */
export const callEndedRefusal = (at: RoomStanding, last: LastCall | undefined, now: number) => {
  const wasJustEnded = last?.wasEnded && last.endedAt !== null && last.endedAt > now - ENDED_MS
  return wasJustEnded && !isOnModeratorsSide(at) ? 'call_ended' : null
}

/**
 * Asked after `mayJoin` by who wants to be told: whether the person is in the call through another tab or device. This
 * one may be in it too, and comes back without asking.
 */
export const presenceRefusal = (person: { isElsewhere: boolean; isHere: boolean }) =>
  person.isElsewhere && !person.isHere ? 'already_in_call' : null
/** The person goes on through another tab or device: this one is let in only when it joins again. */
export const isReplaced = ({ replacedAt = null }: Partial<Pick<Row<'participants'>, 'replacedAt'>>) =>
  replacedAt !== null

export const chatRefusal = ({ room }: RoomStanding) => (room.isChatAllowed ? null : 'chat_off')
/** In a lesson everyone talks to everyone. */
export const mayWriteToHosts = ({ room }: Pick<RoomStanding, 'room'>) => room.type === 'webinar'
/** Whoever wrote one sees it too. */
export const seesHostMessages = isOnModeratorsSide
/** Of past calls. When the room is gone it has no hosts, and those who see its calls read all that remains. */
export const seesPastHostMessages = (at: RoomStanding | null) => at === null || seesHostMessages(at)

/**
 * interface.md §2, room types: in a lesson everyone may go on the air, in a webinar only the moderators' side, and
 * viewers who were given the floor where the room allows that. A room can take single sources from all but the
 * moderators' side, and screens from everyone.
 */
export const mediaRights = (at: RoomStanding, hasFloor: boolean): MediaRights => {
  const { room } = at
  const moderates = isOnModeratorsSide(at)
  const onAir = room.type === 'lesson' || moderates || (hasFloor && room.isFloorAllowed)
  const may = (isAllowed: boolean) => onAir && (moderates || isAllowed)
  return {
    camera: may(room.isCameraPublishingAllowed),
    microphone: may(room.isMicrophonePublishingAllowed),
    screen: may(room.isScreenMediaPublishingAllowed) && room.isScreensharingAllowed,
  }
}
/** Everyone may lower their hand. */
export const handRefusal = (at: RoomStanding) =>
  at.room.isHandRaisingAllowed || isOnModeratorsSide(at) ? null : 'hands_off'
export const renamingRefusal = (at: RoomStanding) =>
  at.room.isSelfRenamingAllowed || isOnModeratorsSide(at) ? null : 'renaming_off'
/** Also before joining. A name that the link gives stays with the link; in a call, `renamingRefusal` alone counts. */
export const mayRenameGuest = inRoom('Only a guest whose link has no name can change theirs.', at =>
  at.caller.kind === 'guest' && at.caller.linkName === null ? renamingRefusal(at) : 'not_allowed',
)
export const mayGiveFloor = ({ room }: RoomStanding) => room.isFloorAllowed
/** The room creator can't be removed. A guest can't remove users who moderate the room or manage the space. */
export const mayRemoveFromCall = (at: RoomStanding, target: RoomStanding) =>
  !target.isRoomCreator &&
  !(
    at.caller.kind === 'guest' &&
    target.caller.kind !== 'guest' &&
    (isOnModeratorsSide(target) || managesSpace(target))
  )
/** It names nobody, and can be used again: by who was removed too, under another name. */
export const isLinkForMany = ({
  isPermanent,
  username,
  externalUserId,
}: Pick<Row<'links'>, 'isPermanent' | 'username' | 'externalUserId'>) =>
  isPermanent && username === null && externalUserId === null
/**
 * An account is banned as such. A guest is banned with the link if it names a person, since the same person could
 * rejoin by it; a link for many keeps working for the others. With an `externalUserId`, every link for it is meant.
 */
export const banTarget = (
  caller: Caller,
  linkNamesPerson: boolean,
): { kind: 'user' | 'link' | 'guest'; id: string } => {
  if (caller.kind !== 'guest') return { kind: 'user', id: caller.userId }
  return linkNamesPerson ? { kind: 'link', id: caller.linkId } : { kind: 'guest', id: caller.guestId }
}
/** Past calls and attendance. */
export const maySeeCalls = inRoom(
  'Only the room creator, a room moderator, the space owner or a space moderator can see past calls.',
  at => (managesSpace(at) ? null : roomManagerRefusal(at)),
)
export const maySeeRecords = inRoom(
  'Only the room creator, a room moderator, the space owner or a space moderator can see recordings.',
  maySeeCalls.refusal,
)
export const mayDeleteRecords = inRoom(
  'Only the room creator, the space owner or a space moderator can delete recordings.',
  mayDeleteRoom.refusal,
)
/** Asked after `mayModerate`. */
export const recordRefusal = ({ room }: Pick<RoomStanding, 'room'>) => (room.isRecordAllowed ? null : 'recording_off')
/** Whether a call is recorded from its start. */
export const isRecordedFromStart = (room: Pick<Row<'rooms'>, 'isRecordAllowed' | 'isAutoRecordingAllowed'>) =>
  room.isRecordAllowed && room.isAutoRecordingAllowed
export const maySeeCallsOfSpace = inSpace(
  'Only the space owner or a space moderator can see all past calls.',
  onlyIf(managesSpace),
)
