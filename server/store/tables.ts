import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { AuditAction, AuditTarget } from '../../contract/actions.ts'
import type { ActorKind } from '../../contract/audit.ts'
import type { SpotlightSource } from '../../contract/callControls.ts'
import type { InviteRole } from '../../contract/invites.ts'
import type { GuestRole } from '../../contract/links.ts'
import type { RecordReason, RecordState } from '../../contract/records.ts'
import type { RoomRole } from '../../contract/roles.ts'
import type { RoomType, WaitingRoomAudience } from '../../contract/rooms.ts'
import type { LogoType, Plan, SpaceRole } from '../../contract/spaces.ts'
import type { StreamTargetState } from '../../contract/streams.ts'
import type { DeliveryState } from '../../contract/webhooks.ts'

/** Times are milliseconds since 1970. */
type Time = number

/** What the name is found by (`nameKeys.ts`); null: not known yet. */
type NameKey = string | null

export interface Tables {
  /** Facts about the installation as a whole. */
  installation: { name: string; value: string }
  users: {
    id: string
    email: string
    emailKey: string
    username: string
    usernameKey: string
    passwordHash: string
    displayName: string | null
    phone: string | null
    isOperator: boolean
    createdAt: Time
    externalId: string | null
    /** JSON object of texts; null: none. */
    metadata: string | null
    /** null: written by the previous release, which knows none. */
    updatedAt: Time | null
    nameKey: NameKey
  }
  /**
   * One sign-in: what access tokens point to and refresh tokens descend from. Or a personal access token, which is the
   * only kind with a name, a hash and scopes. Gone when it has ended.
   */
  sessions: {
    id: string
    userId: string
    kind: 'user' | 'client' | 'personal'
    clientId: string | null
    userAgent: string | null
    createdAt: Time
    /** 0: never. */
    lastUsedAt: Time
    expiresAt: Time
    name: string | null
    tokenHash: string | null
    /** JSON list; null: all. */
    scopes: string | null
  }
  refreshTokens: { hash: string; sessionId: string; rotatedAt: Time | null }
  clients: { id: string; userId: string; name: string; secretHash: string; createdAt: Time }
  spaces: {
    id: string
    name: string
    description: string | null
    logo: string | null
    isPublic: boolean
    plan: Plan
    planActiveUntil: Time | null
    createdAt: Time
    externalId: string | null
    /** The owner's id and the external one: unique. Made anew when the space changes hands. */
    externalKey: string | null
    metadata: string | null
    updatedAt: Time | null
  }
  /** The owner is the member whose role says so: exactly one in each space. */
  members: {
    id: string
    spaceId: string
    userId: string
    role: SpaceRole
    joinedAt: Time
    updatedAt: Time | null
    nameKey: NameKey
  }
  /** The invite's public id is a secret that makes its holder a member: stored as a hash and, for the list, sealed. */
  invites: {
    id: string
    hash: string
    sealed: string
    spaceId: string
    role: InviteRole
    /** Whom it is for. */
    label: string | null
    createdBy: string | null
    createdAt: Time
    usedAt: Time | null
    usedBy: string | null
    revokedAt: Time | null
  }
  rooms: {
    id: string
    spaceId: string
    alias: string
    channelId: string
    name: string
    type: RoomType
    isPublic: boolean
    isChatAllowed: boolean
    isScreensharingAllowed: boolean
    isFloorAllowed: boolean
    waitingRoomAudience: WaitingRoomAudience
    isLocked: boolean
    /** What everyone but the moderators' side may do. */
    isMicrophonePublishingAllowed: boolean
    isCameraPublishingAllowed: boolean
    isScreenMediaPublishingAllowed: boolean
    isHandRaisingAllowed: boolean
    isSelfRenamingAllowed: boolean
    isRecordAllowed: boolean
    isAutoRecordingAllowed: boolean
    creatorId: string
    createdAt: Time
    externalId: string | null
    metadata: string | null
    updatedAt: Time | null
    nameKey: NameKey
  }
  roomRoles: {
    id: string
    spaceId: string
    roomId: string
    userId: string
    role: RoomRole
    createdAt: Time
    updatedAt: Time | null
  }
  /** An uploaded logo; the space's `logo` is then the path it is served under. */
  logos: {
    spaceId: string
    /** Made from the content, so that another image has another path. */
    name: string
    type: LogoType
    /** Base64. */
    data: string
    createdAt: Time
  }
  links: {
    id: string
    hash: string
    /** The token itself, to be copied again; null: made by a release that kept the hash alone. */
    sealed: string | null
    /** For those who manage links; guests don't see it. */
    label: string | null
    roomId: string
    role: GuestRole
    username: string | null
    externalUserId: string | null
    isPermanent: boolean
    createdBy: string | null
    createdAt: Time
    expiresAt: Time
    usedAt: Time | null
    revokedAt: Time | null
  }
  /** Someone who used a link. */
  guests: { id: string; linkId: string; name: string; createdAt: Time; expiresAt: Time }
  /** Who used a link, under the guest's id: kept with the link when the guest has long lost access. */
  linkUses: { id: string; linkId: string; name: string; usedAt: Time }
  webhooks: {
    /** Another one for each webhook a space has had: a new one does not revive what the old one left. */
    id: string
    spaceId: string
    url: string
    /** Sealed, as is the old one. */
    secret: string
    oldSecret: string | null
    oldSecretUntil: Time | null
    isActive: boolean
    /** JSON list of event names. */
    events: string
    blockedReason: string | null
    blockedAt: Time | null
    lastSuccessAt: Time | null
    consecutiveFailures: number
    failingSince: Time | null
    createdAt: Time
    updatedAt: Time | null
  }
  /** The outbox, and afterwards the log. */
  deliveries: {
    id: string
    spaceId: string
    webhookId: string
    eventName: string
    /** The exact text that is sent and signed. */
    body: string
    /** Sent by hand (a test, a redelivery): it says nothing about the receiver's health. */
    isManual: boolean
    state: DeliveryState
    attemptsMade: number
    /** When each of them was claimed, as text: `,1790000000000,1790000030000`. */
    attemptTimes: string
    /** JSON list of the attempts whose result is known. */
    attempts: string
    /** When the next attempt is, or was, due. null: there will be none. */
    nextAttemptAt: Time | null
    /** While an attempt is being made: when it is given up for lost. Not in any index, which makes claiming cheap. */
    lostAt: Time | null
    createdAt: Time
  }
  /** A person in a room through one tab or device. The media engine knows them by this id. */
  participants: {
    id: string
    roomId: string
    /** `user:<id>` or `guest:<id>`. */
    person: string
    userId: string | null
    guestId: string | null
    /** Joining again with it is joining as the same participant. Made up if the page gave none. */
    tabKey: string
    externalUserId: string | null
    handRaisedAt: Time | null
    /** A moderator has given them the floor of a webinar. */
    hasFloor: boolean
    /** Once in the call, they replace the person's other tabs and devices. */
    isReplacing: boolean
    /** Since then the person is there through another tab or device; this one is let in only when it joins again. */
    replacedAt: Time | null
    createdAt: Time
  }
  /**
   * People removed from a room and kept out. `person` is `user:<id>`, `link:<id>` or `guest:<id>`; with an
   * `externalUserId`, every link for it is meant.
   */
  bans: {
    id: string
    roomId: string
    person: string
    externalUserId: string | null
    name: string
    createdAt: Time
  }
  /** People who ask to be let in, and what was decided about each until the call ends. */
  waiting: {
    id: string
    roomId: string
    /** `user:<id>`, `external:<externalUserId>` or `guest:<id>`. */
    person: string
    /** As whom they join when they are admitted, with the tab they have asked from. */
    participantId: string
    tabKey: string
    name: string
    externalUserId: string | null
    state: 'waiting' | 'admitted' | 'denied'
    since: Time
    /** When they asked last. */
    seenAt: Time
    decidedAt: Time | null
  }
  /** What people call themselves until the call ends, instead of the name of the account or guest. */
  callNames: { roomId: string; person: string; name: string }
  /** The chat of a call, kept with it. */
  callMessages: {
    id: string
    callId: string
    /** `user:<id>`, `external:<externalUserId>` or `guest:<id>`. */
    person: string
    name: string
    role: 'user' | 'moderator'
    text: string
    isForHosts: boolean
    isQuestion: boolean
    answeredAt: Time | null
    createdAt: Time
  }
  /** Where the previous release writes its chat, and looks for it: nothing of this is for hosts alone. */
  messages: {
    id: string
    roomId: string
    person: string
    name: string
    role: 'user' | 'moderator'
    text: string
    createdAt: Time
  }
  /** What remains of a call is kept for the days of the setting, also when its room is gone. */
  calls: {
    id: string
    spaceId: string
    roomId: string
    roomName: string
    roomNameKey: NameKey
    channelId: string
    startedAt: Time
    /** The last moment it is known to have been going on. */
    lastSeenAt: Time
    /** Since when it is known that nobody is in it; it ends unless somebody comes back soon. */
    emptySince: Time | null
    endedAt: Time | null
    /** A moderator ended it for all. */
    wasEnded: boolean
    /** Whom a moderator has put before everyone, and what of them. */
    spotlightId: string | null
    spotlightSource: SpotlightSource | null
  }
  /** Recordings of calls. A deleted one is kept until its file is gone. */
  records: {
    id: string
    spaceId: string
    roomId: string
    roomName: string
    callId: string
    channelId: string
    state: RecordState
    reason: RecordReason | null
    /** The recorder of a node that does it; null: none has taken it yet. It is lost if it does not renew its lease. */
    workerId: string | null
    leaseUntil: Time | null
    createdAt: Time
    startedAt: Time | null
    /** When it was asked to stop. */
    stopAt: Time | null
    /** Nothing more is recorded. */
    endedAt: Time | null
    /** Nothing more becomes of it. */
    finishedAt: Time | null
    durationMs: number | null
    size: number
    /** Where the storage keeps the file; null: there is none. */
    place: string | null
    /** Likewise, a picture from it. */
    picture: string | null
    deletedAt: Time | null
  }
  /** Live streams of calls. One that has ended is kept until its segments are gone. */
  streams: {
    id: string
    spaceId: string
    roomId: string
    roomName: string
    callId: string
    channelId: string
    /** Of the node that does it; null: none has taken it yet. It is lost if it does not renew its lease. */
    workerId: string | null
    leaseUntil: Time | null
    createdAt: Time
    /** When it could first be watched. */
    startedAt: Time | null
    /** When it was asked to stop, or its call ended. */
    stopAt: Time | null
    /** No more segments are added. */
    endedAt: Time | null
    /** The RTMP address with its key, encrypted, while the stream goes on; null: there is none. */
    sealedUrl: string | null
    targetHost: string | null
    targetState: StreamTargetState | null
    /** JSON: those that are stored (`streams.ts`). */
    segments: string
  }
  /** Who has watched a stream through a node lately: short fingerprints, one after the other. */
  streamViewers: { streamId: string; nodeId: string; viewers: string; writtenAt: Time }
  /** One stay of someone in a call, from connecting to leaving. */
  stays: {
    id: string
    callId: string
    connectionId: string
    participantId: string
    userId: string | null
    /** Also when the guest is forgotten. */
    guestId: string | null
    externalUserId: string | null
    name: string
    /** The name that the guest link gives; they may have changed it. */
    linkName: string | null
    role: 'user' | 'moderator'
    joinedAt: Time
    leftAt: Time | null
  }
  /** Of rooms that were deleted lately: participants still in one are disconnected. */
  closedChannels: { channelId: string; closedAt: Time }
  /** The media engine's events that have been dealt with. */
  engineEvents: { id: string; receivedAt: Time }
  /** What nodes count together. The columns are those of the library that counts; the key is a hash. */
  rateLimits: { key: string; points: number; expire: Time | null }
  /** Who did what. It refers to nothing by key: what is deleted leaves its entries, with the names of that time. */
  audit: {
    id: string
    at: Time
    action: AuditAction
    actorKind: ActorKind
    /** User or guest; null: a command. */
    actorId: string | null
    actorName: string
    address: string | null
    /** Session, personal access token or guest. */
    tokenId: string | null
    /** Of a personal access token. */
    tokenName: string | null
    spaceId: string | null
    targetType: AuditTarget
    targetId: string
    targetName: string | null
    /** JSON object of what changed. */
    details: string
  }
  /** Answers kept for repeated requests; the answer is sealed. */
  idempotency: { key: string; request: string; answer: string; expiresAt: Time }
}

/** As it is read: what names are found by stays in the store. */
export type Row<T extends keyof Tables> = Omit<Selectable<Tables[T]>, 'externalKey' | 'nameKey' | 'roomNameKey'>
export type Trx = Transaction<Tables>
/** A transaction is one too: what reads may run in either. */
export type Db = Kysely<Tables>

// Written out in the query: SQLite takes an index of part of a table only for values it sees there.
export const isOwner = sql.lit('role_space_owner' as const)
export const isTrue = sql<boolean>`1`
export const isFalse = sql<boolean>`0`
