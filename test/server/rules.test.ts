import { describe, expect, test } from 'vitest'
import { ruleNames } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { type OperationName, operations } from '../../contract/operations.ts'
import * as rules from '../../server/rules.ts'
import {
  accountDeletionRefusal,
  admissionRefusal,
  anyUser,
  banTarget,
  callEndedRefusal,
  chatRefusal,
  type GuestCaller,
  handRefusal,
  inviteRefusal,
  isDenialOver,
  isLinkForMany,
  isLinkInForce,
  isOnModeratorsSide,
  isPlanActive,
  linkRefusal,
  managesSpace,
  mayAddMembers,
  mayAskToJoin,
  mayChangeMemberRole,
  mayChangeRoom,
  mayChangeSpace,
  mayCreateRooms,
  mayDeleteRecords,
  mayDeleteRoom,
  mayGenerateAccess,
  mayGiveFloor,
  mayGrantRole,
  mayJoin,
  mayListMembers,
  mayManageInvites,
  mayManageInvitesFor,
  mayManageRoles,
  mayManageWebhook,
  mayModerate,
  mayReadRoom,
  mayReadSpace,
  mayRemoveFromCall,
  mayRemoveMember,
  mayRemoveMembers,
  mayRenameGuest,
  mayRevokeRole,
  maySeeAudit,
  maySeeCalls,
  maySeeCallsOfSpace,
  maySeeRecords,
  mayWriteToHosts,
  mediaRights,
  operatorOnly,
  type RoomStanding,
  type Rule,
  renamingRefusal,
  roomEntry,
  type SpaceStanding,
  seesHostMessages,
  seesPastHostMessages,
  seesRoom,
  seesSpace,
  type UserCaller,
} from '../../server/rules.ts'

/*
 * WHO MAY DO WHAT, to be read as tables.
 *   yes     may
 *   no      may not: 403
 *   404     does not even see it
 *   invite  403, an invite to the space is missing
 *   role    403, a role in the room is missing
 */

/** Every cell of a table as [row, column, cell]. */
const cells = (text: string): [row: string, column: string, cell: string][] => {
  const [head = [], ...rows] = text
    .trim()
    .split('\n')
    .map(line => line.split('|').map(cell => cell.trim()))
  return rows.flatMap(([row = '', ...values]) => {
    if (values.length !== head.length - 1) throw new Error(`the row "${row}" has not as many cells as the head`)
    return values.map((cell, column): [string, string, string] => [row, head[column + 1] ?? '', cell])
  })
}

const user: UserCaller = {
  kind: 'user',
  sessionId: 'session',
  tokenName: null,
  scopes: null,
  userId: 'me',
  name: 'Me',
  isOperator: false,
}

/** What the caller is in the space and in the room, for rules of either. */
type Standing = Omit<RoomStanding, 'space'> & Pick<SpaceStanding, 'space' | 'hasActivePlan'>

const standing = (
  of: Partial<Omit<RoomStanding, 'space'>> = {},
  { publicSpace = false, publicRoom = false, type = 'lesson' as 'lesson' | 'webinar', screen = true } = {},
): Standing => ({
  caller: user,
  hasActivePlan: true,
  wantedEvents: null,
  space: {
    id: 'space',
    name: 'Space',
    description: null,
    logo: null,
    isPublic: publicSpace,
    plan: 'team',
    planActiveUntil: null,
    createdAt: 0,
    externalId: null,
    metadata: null,
    updatedAt: 0,
  },
  spaceRole: null,
  room: {
    id: 'room',
    spaceId: 'space',
    alias: 'abc-defg-hjk',
    channelId: 'channel',
    name: 'Room',
    type,
    isPublic: publicRoom,
    isChatAllowed: true,
    isScreensharingAllowed: screen,
    isFloorAllowed: false,
    waitingRoomAudience: 'nobody',
    isLocked: false,
    isMicrophonePublishingAllowed: true,
    isCameraPublishingAllowed: true,
    isScreenMediaPublishingAllowed: true,
    isHandRaisingAllowed: true,
    isSelfRenamingAllowed: true,
    isRecordAllowed: true,
    isAutoRecordingAllowed: false,
    creatorId: of.isRoomCreator ? 'me' : 'someone',
    createdAt: 0,
    externalId: null,
    metadata: null,
    updatedAt: 0,
  },
  roomRole: null,
  isRoomCreator: false,
  isBanned: false,
  admission: null,
  ...of,
})

const guest = (guestRole: 'user' | 'moderator'): Partial<RoomStanding> => ({
  caller: {
    kind: 'guest',
    guestId: 'guest',
    linkId: 'link',
    name: 'Guest',
    linkName: null,
    guestRole,
    externalUserId: null,
  },
})
const member = { spaceRole: 'role_space_user' } as const

/** The heads of the columns. An outsider is no member of the space. */
const people: Record<string, Partial<RoomStanding>> = {
  stranger: {},
  operator: { caller: { ...user, isOperator: true } },
  member,
  'space mod': { spaceRole: 'role_space_moderator' },
  owner: { spaceRole: 'role_space_owner' },
  'room user': { ...member, roomRole: 'role_room_user' },
  'room mod': { ...member, roomRole: 'role_room_moderator' },
  creator: { ...member, isRoomCreator: true },
  'outside room user': { roomRole: 'role_room_user' },
  'outside room mod': { roomRole: 'role_room_moderator' },
  guest: guest('user'),
  'guest mod': guest('moderator'),
}

const person = (column: string): Partial<RoomStanding> => {
  const found = people[column]
  if (!found) throw new Error(`nobody is called "${column}"`)
  return found
}

const words: Record<string, string> = { not_allowed: 'no', invite_required: 'invite', role_required: 'role' }

const answer = (scope: Rule<never>['scope'], at: Standing, refusal: string | null): string => {
  if (scope === 'space' && !seesSpace(at)) return '404'
  if (scope === 'room' && !seesRoom(at)) return '404'
  return refusal === null ? 'yes' : (words[refusal] ?? refusal)
}
const verdict = (rule: Rule<never>, at: Standing) => answer(rule.scope, at, rule.refusal(at as never))

const actions: Record<string, Rule<never>> = {
  'createUser, createSpaces, activateInvite': anyUser,
  'plans, all spaces, all users': operatorOnly,
  'read the space, list its rooms': mayReadSpace,
  createRooms: mayCreateRooms,
  'createInvite, list and revoke': mayManageInvites,
  'list members': mayListMembers,
  'add members': mayAddMembers,
  'leave the space': mayRemoveMembers,
  'change or delete the space': mayChangeSpace,
  'audit log of the space': maySeeAudit,
  'webhook and all under it': mayManageWebhook,
  'grantRole, revoke and list': mayManageRoles,
  'generateAccess, list and revoke': mayGenerateAccess,
  'read the room': mayReadRoom,
  'join, chat, see who is there': mayJoin,
  'moderate the call, lift bans': mayModerate,
  'change the room': mayChangeRoom,
  'delete the room': mayDeleteRoom,
  'past calls of the room': maySeeCalls,
  'recordings of the room': maySeeRecords,
  'delete recordings': mayDeleteRecords,
  'past calls of the space': maySeeCallsOfSpace,
}

const action = (row: string): Rule<never> => {
  const found = actions[row]
  if (!found) throw new Error(`there is no action "${row}"`)
  return found
}

describe('in a private room of a private space', () => {
  test.each(
    cells(`
    action                                   | stranger | operator | member | space mod | owner | room user | room mod | creator | outside room user | outside room mod
    createUser, createSpaces, activateInvite | yes      | yes      | yes    | yes       | yes   | yes       | yes      | yes     | yes               | yes
    plans, all spaces, all users             | no       | yes      | no     | no        | no    | no        | no       | no      | no                | no
    read the space, list its rooms           | 404      | 404      | yes    | yes       | yes   | yes       | yes      | yes     | 404               | 404
    createRooms                              | 404      | 404      | no     | yes       | yes   | no        | no       | no      | 404               | 404
    createInvite, list and revoke            | 404      | 404      | no     | yes       | yes   | no        | no       | no      | 404               | 404
    list members                             | 404      | 404      | no     | yes       | yes   | no        | no       | no      | 404               | 404
    add members                              | 404      | 404      | no     | no        | yes   | no        | no       | no      | 404               | 404
    leave the space                          | 404      | 404      | yes    | yes       | yes   | yes       | yes      | yes     | 404               | 404
    change or delete the space               | 404      | 404      | no     | no        | yes   | no        | no       | no      | 404               | 404
    audit log of the space                   | 404      | 404      | no     | no        | yes   | no        | no       | no      | 404               | 404
    webhook and all under it                 | 404      | 404      | no     | no        | yes   | no        | no       | no      | 404               | 404
    grantRole, revoke and list               | 404      | 404      | no     | yes       | yes   | no        | yes      | yes     | no                | yes
    generateAccess, list and revoke          | 404      | 404      | no     | no        | no    | no        | yes      | yes     | no                | yes
    read the room                            | 404      | 404      | role   | yes       | yes   | yes       | yes      | yes     | invite            | invite
    join, chat, see who is there             | 404      | 404      | role   | yes       | yes   | yes       | yes      | yes     | invite            | invite
    change the room                          | 404      | 404      | no     | yes       | yes   | no        | yes      | yes     | no                | yes
    delete the room                          | 404      | 404      | no     | yes       | yes   | no        | no       | yes     | no                | no
    delete recordings                        | 404      | 404      | no     | yes       | yes   | no        | no       | yes     | no                | no
    past calls of the room                   | 404      | 404      | no     | yes       | yes   | no        | yes      | yes     | no                | yes
    recordings of the room                   | 404      | 404      | no     | yes       | yes   | no        | yes      | yes     | no                | yes
    past calls of the space                  | 404      | 404      | no     | yes       | yes   | no        | no       | no      | 404               | 404
    `),
  )('%s | %s | %s', (row, column, expected) => {
    expect(verdict(action(row), standing(person(column)))).toBe(expected)
  })
})

describe('in a private room of a public space', () => {
  test.each(
    cells(`
    action                                   | stranger | operator | member | space mod | owner | room user | room mod | creator | outside room user | outside room mod
    read the space, list its rooms           | yes      | yes      | yes    | yes       | yes   | yes       | yes      | yes     | yes               | yes
    createRooms                              | no       | no       | no     | yes       | yes   | no        | no       | no      | no                | no
    createInvite, list and revoke            | no       | no       | no     | yes       | yes   | no        | no       | no      | no                | no
    list members                             | no       | no       | no     | yes       | yes   | no        | no       | no      | no                | no
    add members                              | no       | no       | no     | no        | yes   | no        | no       | no      | no                | no
    leave the space                          | no       | no       | yes    | yes       | yes   | yes       | yes      | yes     | no                | no
    change or delete the space               | no       | no       | no     | no        | yes   | no        | no       | no      | no                | no
    audit log of the space                   | no       | no       | no     | no        | yes   | no        | no       | no      | no                | no
    webhook and all under it                 | no       | no       | no     | no        | yes   | no        | no       | no      | no                | no
    grantRole, revoke and list               | no       | no       | no     | yes       | yes   | no        | yes      | yes     | no                | yes
    generateAccess, list and revoke          | no       | no       | no     | no        | no    | no        | yes      | yes     | no                | yes
    read the room                            | role     | role     | role   | yes       | yes   | yes       | yes      | yes     | yes               | yes
    join, chat, see who is there             | role     | role     | role   | yes       | yes   | yes       | yes      | yes     | yes               | yes
    change the room                          | no       | no       | no     | yes       | yes   | no        | yes      | yes     | no                | yes
    delete the room                          | no       | no       | no     | yes       | yes   | no        | no       | yes     | no                | no
    delete recordings                        | no       | no       | no     | yes       | yes   | no        | no       | yes     | no                | no
    past calls of the room                   | no       | no       | no     | yes       | yes   | no        | yes      | yes     | no                | yes
    recordings of the room                   | no       | no       | no     | yes       | yes   | no        | yes      | yes     | no                | yes
    past calls of the space                  | no       | no       | no     | yes       | yes   | no        | no       | no      | no                | no
    `),
  )('%s | %s | %s', (row, column, expected) => {
    expect(verdict(action(row), standing(person(column), { publicSpace: true }))).toBe(expected)
  })
})

describe('who may join', () => {
  test.each(
    cells(`
    space, room      | stranger | operator | member | space mod | owner | room user | room mod | creator | outside room user | outside room mod | guest | guest mod
    public, public   | yes      | yes      | yes    | yes       | yes   | yes       | yes      | yes     | yes               | yes              | yes   | yes
    public, private  | role     | role     | role   | yes       | yes   | yes       | yes      | yes     | yes               | yes              | yes   | yes
    private, public  | 404      | 404      | yes    | yes       | yes   | yes       | yes      | yes     | invite            | invite           | yes   | yes
    private, private | 404      | 404      | role   | yes       | yes   | yes       | yes      | yes     | invite            | invite           | yes   | yes
    `),
  )('%s | %s | %s', (row, column, expected) => {
    const [space, room] = row.split(', ')
    const at = standing(person(column), { publicSpace: space === 'public', publicRoom: room === 'public' })
    expect(verdict(mayJoin, at)).toBe(expected)
  })
})

describe('once removed from the room', () => {
  test.each(
    cells(`
    action                          | stranger | member | space mod | owner   | room user | room mod | creator | outside room mod | guest   | guest mod
    read the room                   | role     | role   | yes       | yes     | yes       | yes      | yes     | yes              | yes     | yes
    join, chat, see who is there    | role     | role   | removed   | removed | removed   | removed  | yes     | removed          | removed | removed
    moderate the call, lift bans    | no       | no     | no        | no      | no        | removed  | yes     | removed          | no      | removed
    generateAccess, list and revoke | no       | no     | no        | no      | no        | removed  | yes     | removed          | no      | no
    grantRole, revoke and list      | no       | no     | removed   | yes     | no        | removed  | yes     | removed          | no      | no
    change the room                 | no       | no     | removed   | yes     | no        | removed  | yes     | removed          | no      | no
    delete the room                 | no       | no     | removed   | yes     | no        | no       | yes     | no               | no      | no
    delete recordings               | no       | no     | removed   | yes     | no        | no       | yes     | no               | no      | no
    past calls of the room          | no       | no     | yes       | yes     | no        | removed  | yes     | removed          | no      | no
    recordings of the room          | no       | no     | yes       | yes     | no        | removed  | yes     | removed          | no      | no
    `),
  )('%s | %s | %s', (row, column, expected) => {
    expect(verdict(action(row), standing({ ...person(column), isBanned: true }, { publicSpace: true }))).toBe(expected)
  })
})

describe('the links of', () => {
  test.each(
    cells(`
    who made them | stranger | member | space mod | owner | room user | room mod | creator | outside room mod
    not removed   | no       | no     | no        | no    | no        | yes      | yes     | yes
    removed       | no       | no     | no        | no    | no        | no       | yes     | no
    `),
  )('%s | %s | count: %s', (row, column, expected) => {
    const maker = standing({ ...person(column), isBanned: row === 'removed' })
    expect(isLinkInForce(maker) ? 'yes' : 'no').toBe(expected)
  })
})

describe('a guest link', () => {
  const now = Date.parse('2026-01-31T09:30:00Z')
  const open = { usedAt: null, isPermanent: false, revokedAt: null, expiresAt: now + 1 }
  const links: Record<string, Parameters<typeof linkRefusal>[0]> = {
    fresh: open,
    used: { ...open, usedAt: now },
    'used, permanent': { ...open, usedAt: now, isPermanent: true },
    revoked: { ...open, revokedAt: now },
    expired: { ...open, expiresAt: now },
    'used and expired': { ...open, usedAt: now, expiresAt: now },
  }

  test.each(
    cells(`
    the link         | of a room mod | of a removed one | of a member
    fresh            | yes           | revoked          | revoked
    used             | used          | revoked          | revoked
    used, permanent  | yes           | revoked          | revoked
    revoked          | revoked       | revoked          | revoked
    expired          | expired       | revoked          | revoked
    used and expired | used          | revoked          | revoked
    `),
  )('%s | %s | lets in: %s', (row, column, expected) => {
    const link = links[row]
    if (!link) throw new Error(`no link is "${row}"`)
    const maker = standing({
      ...person(column === 'of a member' ? 'member' : 'room mod'),
      isBanned: column === 'of a removed one',
    })
    expect(linkRefusal(link, maker, now)?.replace('link_', '') ?? 'yes').toBe(expected)
  })
})

describe('who may be in the room once its last call', () => {
  const now = Date.parse('2026-01-31T09:30:00Z')
  const calls: Record<string, Parameters<typeof callEndedRefusal>[1]> = {
    'has never been': undefined,
    'goes on': { wasEnded: false, endedAt: null },
    'ended by itself': { wasEnded: false, endedAt: now },
    'was just ended': { wasEnded: true, endedAt: now - 59_999 },
    'was ended before': { wasEnded: true, endedAt: now - 60_000 },
  }

  test.each(
    cells(`
    last call        | stranger | member | space mod  | owner      | room user  | room mod | creator | guest      | guest mod
    has never been   | 404      | role   | yes        | yes        | yes        | yes      | yes     | yes        | yes
    goes on          | 404      | role   | yes        | yes        | yes        | yes      | yes     | yes        | yes
    ended by itself  | 404      | role   | yes        | yes        | yes        | yes      | yes     | yes        | yes
    was just ended   | 404      | role   | call_ended | call_ended | call_ended | yes      | yes     | call_ended | yes
    was ended before | 404      | role   | yes        | yes        | yes        | yes      | yes     | yes        | yes
    `),
  )('%s | %s | %s', (row, column, expected) => {
    if (!(row in calls)) throw new Error(`no call "${row}"`)
    const at = standing(person(column))
    expect(answer('room', at, mayJoin.refusal(at) ?? callEndedRefusal(at, calls[row], now))).toBe(expected)
  })
})

describe('who is let in where not everyone is', () => {
  const rooms: Record<string, Partial<RoomStanding['room']>> = {
    open: {},
    'guests wait': { waitingRoomAudience: 'guests' },
    'all wait': { waitingRoomAudience: 'everyone' },
    locked: { isLocked: true },
    'locked, all wait': { isLocked: true, waitingRoomAudience: 'everyone' },
  }
  const admissions = { 'let in': 'admitted', denied: 'denied' } as const
  const words = { not_admitted: 'wait', denied: 'denied', room_locked: 'locked' }

  test.each(
    cells(`
                     | member | member, let in | member, denied | guest  | guest, let in | owner  | room mod | creator | guest mod
    open             | yes    | yes            | yes            | yes    | yes           | yes    | yes      | yes     | yes
    guests wait      | yes    | yes            | yes            | wait   | yes           | yes    | yes      | yes     | yes
    all wait         | wait   | yes            | denied         | wait   | yes           | wait   | yes      | yes     | yes
    locked           | locked | yes            | locked         | locked | yes           | locked | yes      | yes     | yes
    locked, all wait | locked | yes            | locked         | locked | yes           | locked | yes      | yes     | yes
    `),
  )('%s | %s | %s', (row, column, expected) => {
    const [who = '', admission = ''] = column.split(', ')
    const at = standing(
      { ...person(who), admission: admissions[admission as keyof typeof admissions] ?? null },
      { publicRoom: true },
    )
    Object.assign(at.room, rooms[row])
    const refusal = admissionRefusal(at)
    expect(mayJoin.refusal(at)).toBe(refusal)
    expect(mayAskToJoin.refusal(at)).toBe(null)
    expect(refusal ? words[refusal] : 'yes').toBe(expected)
  })

  test('and may ask again ten minutes after having been denied', () => {
    const now = 1_000_000
    expect([now - 600_000, now - 599_999, null].map(decidedAt => isDenialOver({ decidedAt }, now))).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('what becomes of whose room role', () => {
  test.each(
    cells(`
    it becomes          | someone | the creator
    role_room_user      | yes     | no
    role_room_moderator | yes     | yes
    none                | yes     | no
    `),
  )('%s | %s | %s', (role, column, expected) => {
    const at = standing()
    const userId = column === 'the creator' ? at.room.creatorId : 'other'
    const may = role === 'none' ? mayRevokeRole(at, userId) : mayGrantRole(at, userId, role as 'role_room_user')
    expect(may ? 'yes' : 'no').toBe(expected)
  })
})

describe('what the room itself allows', () => {
  test.each(
    cells(`
    the room | chat     | giving the floor
    allows   | yes      | yes
    does not | chat_off | no
    `),
  )('%s | %s | %s', (row, column, expected) => {
    const at = standing(person('creator'))
    at.room = { ...at.room, isChatAllowed: row === 'allows', isFloorAllowed: row === 'allows' }
    expect(column === 'chat' ? (chatRefusal(at) ?? 'yes') : mayGiveFloor(at) ? 'yes' : 'no').toBe(expected)
  })
})

describe('what the room has turned off for all but its moderators', () => {
  test.each(
    cells(`
    turned off                     | creator | room mod | member       | space mod    | owner        | guest mod | guest
    isMicrophonePublishingAllowed  | all     | all      | microphone   | microphone   | microphone   | all       | microphone
    isCameraPublishingAllowed      | all     | all      | camera       | camera       | camera       | all       | camera
    isScreenMediaPublishingAllowed | all     | all      | screen       | screen       | screen       | all       | screen
    isScreensharingAllowed         | screen  | screen   | screen       | screen       | screen       | screen    | screen
    isHandRaisingAllowed           | all     | all      | hands_off    | hands_off    | hands_off    | all       | hands_off
    isSelfRenamingAllowed          | all     | all      | renaming_off | renaming_off | renaming_off | all       | renaming_off
    `),
  )('%s | %s | %s', (permission, column, missing) => {
    const at = standing(person(column))
    at.room = { ...at.room, [permission]: false }
    const rights = mediaRights(at, false)
    const refused = [
      ...(['microphone', 'camera', 'screen'] as const).filter(source => !rights[source]),
      ...[handRefusal(at), renamingRefusal(at)].filter(code => code !== null),
    ]
    expect(refused.join(' ') || 'all').toBe(missing)
  })

  test('also for a webinar viewer who has the floor', () => {
    const at = standing(person('member'), { type: 'webinar' })
    at.room = { ...at.room, isFloorAllowed: true, isMicrophonePublishingAllowed: false }
    expect(mediaRights(at, true)).toEqual({ microphone: false, camera: true, screen: true })
  })
})

describe('the entry of a room', () => {
  const client = { ...person('owner'), caller: { ...user, kind: 'client' as const } }

  test.each(
    cells(`
    space and room         | nobody  | stranger | client  | member  | owner | guest
    public space, public   | sign_in | open     | sign_in | open    | open  | open
    public space, private  | private | private  | private | private | open  | open
    private space, public  | private | private  | private | open    | open  | open
    private space, private | private | private  | private | private | open  | open
    `),
  )('%s | for %s: %s', (row, column, expected) => {
    const isNobody = column === 'nobody'
    const at = standing(isNobody ? {} : column === 'client' ? client : person(column), {
      publicSpace: row.startsWith('public space'),
      publicRoom: row.endsWith('public'),
    })
    expect(roomEntry(isNobody ? null : at, at.space, at.room)).toBe(expected)
  })

  test('is open to those who were removed: they are told so when they join', () => {
    const at = standing({ ...person('member'), isBanned: true }, { publicRoom: true })
    expect(roomEntry(at, at.space, at.room)).toBe('open')
    expect(mayJoin.refusal(at)).toBe('removed')
  })
})

describe('a ban is for', () => {
  const { caller: guestCaller } = guest('user') as { caller: GuestCaller }

  test('the account of a user', () => {
    expect(banTarget(user, false)).toEqual({ kind: 'user', id: 'me' })
  })

  test('who could return by a link for many, as it names nobody and can be used again', () => {
    const link = { isPermanent: true, username: null, externalUserId: null }
    expect(
      [link, { ...link, isPermanent: false }, { ...link, username: 'Ada' }, { ...link, externalUserId: 'a' }].map(
        isLinkForMany,
      ),
    ).toEqual([true, false, false, false])
  })
  test('the guest alone if others use the link, else the link', () => {
    expect(banTarget(guestCaller, false)).toEqual({ kind: 'guest', id: 'guest' })
    expect(banTarget(guestCaller, true)).toEqual({ kind: 'link', id: 'link' })
  })
})

test('who asks is told of their other tabs and devices, unless this tab is in the call too', () => {
  const ask = (isElsewhere: boolean, isHere: boolean) => rules.presenceRefusal({ isElsewhere, isHere })
  expect(ask(true, false)).toBe('already_in_call')
  expect([ask(false, false), ask(false, true), ask(true, true)]).toEqual([null, null, null])
  expect([{}, { replacedAt: null }, { replacedAt: 1 }].map(rules.isReplaced)).toEqual([false, false, true])
})

test('an account stays while it owns spaces or is the last operator', () => {
  expect(accountDeletionRefusal([], false)).toBeNull()
  expect(accountDeletionRefusal(['role_space_moderator', 'role_space_user'], false)).toBeNull()
  expect(accountDeletionRefusal(['role_space_user', 'role_space_owner'], true)).toBe('owns_spaces')
  expect(accountDeletionRefusal([], true)).toBe('last_operator')
})

describe('messages to the hosts', () => {
  test.each(
    cells(`
                           | member | space mod | owner | room user | room mod | creator | guest | guest mod
    reads them             | no     | no        | no    | no        | yes      | yes     | no    | yes
    reads them in the past | no     | no        | no    | no        | yes      | yes     | no    | yes
    writes in a webinar    | yes    | yes       | yes   | yes       | yes      | yes     | yes   | yes
    writes in a lesson     | no     | no        | no    | no        | no       | no      | no    | no
    `),
  )('%s | %s | %s', (row, column, expected) => {
    const at = standing(person(column), { type: row.endsWith('webinar') ? 'webinar' : 'lesson' })
    const may = row.startsWith('writes')
      ? mayWriteToHosts(at)
      : row.endsWith('past')
        ? seesPastHostMessages(at)
        : seesHostMessages(at)
    expect(may ? 'yes' : 'no').toBe(expected)
  })

  test('of a room that is gone are for all who see its calls', () => {
    expect(seesPastHostMessages(null)).toBe(true)
  })
})

describe('who goes on the air, and who moderates', () => {
  test.each(
    cells(`
                            | stranger | member | space mod | owner | room user | room mod | creator | guest | guest mod
    on the air in a lesson  | yes      | yes    | yes       | yes   | yes       | yes      | yes     | yes   | yes
    on the air in a webinar | no       | no     | no        | no    | no        | yes      | yes     | no    | yes
    moderates               | no       | no     | no        | no    | no        | yes      | yes     | no    | yes
    `),
  )('%s | %s | %s', (row, column, expected) => {
    const at = standing(person(column), { type: row.endsWith('webinar') ? 'webinar' : 'lesson' })
    const may =
      row === 'moderates' ? isOnModeratorsSide(at) : mediaRights(at, false).camera && mediaRights(at, false).microphone
    expect(may ? 'yes' : 'no').toBe(expected)
  })

  test('a screen is shared only where the room allows it', () => {
    const screen = (type: 'lesson' | 'webinar', allowed: boolean, column: string) =>
      mediaRights(standing(person(column), { type, screen: allowed }), false).screen
    expect(screen('lesson', true, 'member')).toBe(true)
    expect(screen('lesson', false, 'creator')).toBe(false)
    expect(screen('webinar', true, 'member')).toBe(false)
    expect(screen('webinar', true, 'creator')).toBe(true)
    expect(screen('webinar', false, 'creator')).toBe(false)
  })
})

describe('invites by the role they give', () => {
  test.each(
    cells(`
    invite for           | stranger | operator | member | space mod | owner
    role_space_user      | no       | no       | no     | yes       | yes
    role_space_moderator | no       | no       | no     | no        | yes
    `),
  )('%s | %s | %s', (role, column, expected) => {
    const at = standing(person(column)) as SpaceStanding
    expect(mayManageInvitesFor(at, role as never) ? 'yes' : 'no').toBe(expected)
  })
})

describe('an invite can be used while its creator may create it', () => {
  test.each(
    cells(`
    invite for           | stranger | member  | space mod | owner
    role_space_user      | revoked  | revoked | yes       | yes
    role_space_moderator | revoked  | revoked | revoked   | yes
    `),
  )('%s | %s | %s', (role, column, expected) => {
    const maker = person(column).spaceRole ?? null
    const invite = { role: role as 'role_space_user', usedAt: null, revokedAt: null }
    expect(inviteRefusal(invite, maker)?.replace('invite_', '') ?? 'yes').toBe(expected)
    expect(inviteRefusal({ ...invite, usedAt: 1 }, maker)).toBe('invite_used')
    expect(inviteRefusal({ ...invite, revokedAt: 1 }, maker)).toBe('invite_revoked')
  })
})

describe('a webhook needs a plan', () => {
  const now = Date.parse('2026-01-31T09:30:00Z')

  test.each(
    cells(`
    plan     | without end | until later | until now | until before
    free     | no          | no          | no        | no
    team     | yes         | yes         | no        | no
    business | yes         | yes         | no        | no
    `),
  )('%s | %s | %s', (plan, until, expected) => {
    const ends = { 'without end': null, 'until later': now + 1, 'until now': now, 'until before': now - 1 }
    const planActiveUntil = ends[until as keyof typeof ends]
    expect(isPlanActive({ plan: plan as 'free', planActiveUntil }, now) ? 'yes' : 'no').toBe(expected)
  })

  test('and who does not own the space is not told of the plan', () => {
    const without = (column: string) => verdict(mayManageWebhook, { ...standing(person(column)), hasActivePlan: false })
    expect(without('owner')).toBe('plan_required')
    expect(without('space mod')).toBe('no')
    expect(without('stranger')).toBe('404')
  })
})

describe('who changes whose role in the space', () => {
  test.each(
    cells(`
    changes         | a member | a space mod | the owner
    member          | no       | no          | no
    space mod       | no       | no          | no
    owner           | yes      | yes         | no
    `),
  )('%s | %s | %s', (row, target, expected) => {
    const roles = {
      'a member': 'role_space_user',
      'a space mod': 'role_space_moderator',
      'the owner': 'role_space_owner',
    } as const
    const role = roles[target as keyof typeof roles]
    expect(mayChangeMemberRole(standing(person(row)), { role }) ? 'yes' : 'no').toBe(expected)
  })
})

describe('who removes whom from the space', () => {
  test.each(
    cells(`
    removes         | themselves | a member | a space mod | the owner
    member          | yes        | no       | no          | no
    space mod       | yes        | yes      | no          | no
    owner           | no         | yes      | yes         | no
    `),
  )('%s | %s | %s', (row, target, expected) => {
    const at = standing(person(row)) as SpaceStanding
    const targets: Record<string, Parameters<typeof mayRemoveMember>[1]> = {
      themselves: { userId: 'me', role: at.spaceRole ?? 'role_space_user' },
      'a member': { userId: 'other', role: 'role_space_user' },
      'a space mod': { userId: 'other', role: 'role_space_moderator' },
      'the owner': { userId: row === 'owner' ? 'me' : 'other', role: 'role_space_owner' },
    }
    expect(mayRemoveMember(at, targets[target] as never) ? 'yes' : 'no').toBe(expected)
  })
})

describe('who of the moderators’ side removes whom from the call', () => {
  test.each(
    cells(`
    removes          | member | space mod | owner | room mod | outside room mod | creator | guest | guest mod
    creator          | yes    | yes       | yes   | yes      | yes              | no      | yes   | yes
    room mod         | yes    | yes       | yes   | yes      | yes              | no      | yes   | yes
    outside room mod | yes    | yes       | yes   | yes      | yes              | no      | yes   | yes
    guest mod        | yes    | no        | no    | no       | no               | no      | yes   | yes
    `),
  )('%s | %s | %s', (row, target, expected) => {
    expect(mayRemoveFromCall(standing(person(row)), standing(person(target))) ? 'yes' : 'no').toBe(expected)
  })
})

test('a guest renames themselves where the link gives no name and the room lets them', () => {
  const guest = standing(person('guest'))
  const { caller, room } = guest
  if (caller.kind !== 'guest') throw new Error('no guest')
  const closedRoom = { ...room, isSelfRenamingAllowed: false }
  expect(mayRenameGuest.refusal(guest)).toBeNull()
  expect(mayRenameGuest.refusal({ ...guest, caller: { ...caller, linkName: 'Grace' } })).toBe('not_allowed')
  expect(mayRenameGuest.refusal({ ...guest, room: closedRoom })).toBe('renaming_off')
  const moderator = { ...caller, guestRole: 'moderator' as const }
  expect(mayRenameGuest.refusal({ ...guest, room: closedRoom, caller: moderator })).toBeNull()
  expect(mayRenameGuest.refusal(standing(person('owner')))).toBe('not_allowed')
})

test('a space role and a room role never stand in for each other', () => {
  for (const { roomRole, isRoomCreator } of [person('room mod'), person('creator')])
    expect(
      managesSpace(standing({ ...member, roomRole: roomRole ?? null, isRoomCreator: isRoomCreator ?? false })),
    ).toBe(false)
  expect(verdict(mayGenerateAccess, standing(person('owner')))).toBe('no')
  expect(verdict(mayGenerateAccess, standing({ ...person('owner'), isRoomCreator: true }))).toBe('yes')
  expect(verdict(mayGenerateAccess, standing({ ...person('owner'), roomRole: 'role_room_moderator' }))).toBe('yes')
  expect(verdict(mayGenerateAccess, standing({ ...person('owner'), roomRole: 'role_room_user' }))).toBe('no')
})

describe('which kind of token does', () => {
  test.each(
    cells(`
    operation          | user | client | guest
    createUser         | yes  | no     | no
    createSpaces       | yes  | no     | no
    createRooms        | yes  | no     | no
    createInvite       | yes  | yes    | no
    activateInvite     | yes  | no     | no
    grantRole          | yes  | yes    | no
    revokeRole         | yes  | yes    | no
    generateAccess     | yes  | no     | no
    joinRoom           | yes  | no     | yes
    listWaiting        | yes  | yes    | yes
    admitWaiting       | yes  | no     | yes
    denyWaiting        | yes  | no     | yes
    admitAllWaiting    | yes  | no     | yes
    getLiveCall        | yes  | yes    | yes
    listCallParticipants | yes  | yes    | yes
    setHand            | yes  | no     | yes
    endCall            | yes  | no     | yes
    muteAll            | yes  | no     | yes
    muteParticipant    | yes  | no     | yes
    removeParticipant  | yes  | no     | yes
    getParticipantLink | yes  | yes    | yes
    setFloor           | yes  | no     | yes
    listMessages       | yes  | yes    | yes
    createMessage      | yes  | no     | yes
    deleteMessage      | yes  | no     | yes
    setAnswered        | yes  | no     | yes
    listCallMessages   | yes  | yes    | no
    listSpaceCallMessages | yes  | yes    | no
    listCalls          | yes  | yes    | no
    getAttendance      | yes  | yes    | no
    listSpaceCalls     | yes  | yes    | no
    startRecord        | yes  | no     | yes
    stopRecord         | yes  | no     | yes
    listRecords        | yes  | yes    | no
    downloadRecord     | yes  | yes    | no
    deleteRecord       | yes  | no     | no
    getSpaceAttendance | yes  | yes    | no
    getRoom            | yes  | yes    | yes
    getSpace           | yes  | yes    | no
    listRooms          | yes  | yes    | no
    searchRooms        | yes  | yes    | no
    listRoles          | yes  | yes    | no
    listMembers        | yes  | yes    | no
    updateRoom         | yes  | no     | no
    deleteRoom         | yes  | no     | no
    updateSpace        | yes  | no     | no
    deleteSpace        | yes  | no     | no
    setSpacePlan       | yes  | no     | no
    createWebhook      | yes  | no     | no
    updateWebhook      | yes  | no     | no
    getWebhook         | yes  | no     | no
    deleteWebhook      | yes  | no     | no
    refreshSecret      | yes  | no     | no
    `),
  )('%s | %s | %s', (name, kind, expected) => {
    const kinds: readonly string[] = operations[name as OperationName].tokens
    expect(kinds.includes(kind) ? 'yes' : 'no').toBe(expected)
  })
})

describe('what a token of a user may be used for', () => {
  const held: Record<string, UserCaller['scopes']> = {
    'signed in': null,
    'rooms:read': ['rooms:read'],
    'rooms:write': ['rooms:write'],
    'links:write': ['links:write'],
  }
  const answers: Record<string, string | null> = { yes: null, scope: 'scope_required', session: 'session_required' }
  test.each(
    cells(`
    operation           | signed in | rooms:read | rooms:write | links:write
    getRoom             | yes       | yes        | yes         | scope
    updateRoom          | yes       | scope      | yes         | scope
    generateAccess      | yes       | scope      | scope       | yes
    listLinks           | yes       | scope      | scope       | yes
    getMe               | yes       | yes        | yes         | yes
    updateMe            | yes       | session    | session     | session
    createPersonalToken | yes       | session    | session     | session
    listUsers           | yes       | session    | session     | session
    `),
  )('%s | %s | %s', (name, holder, expected) => {
    const { scope } = operations[name as OperationName] as Operation
    expect(rules.scopeRefusal({ scopes: held[holder] ?? null }, scope)).toBe(answers[expected])
  })
})

describe('the contract', () => {
  const refusesStranger = (rule: unknown) =>
    typeof rule === 'object' && (rule as Rule<never>).refusal(standing() as never) === 'not_allowed'
  /** Asked by a handler, with what it has found. */
  const isAsked = (name: string, rule: unknown) => typeof rule === 'function' && name.startsWith('may')

  test('names every rule that answers not_allowed as it is named here', () => {
    const named = Object.entries(rules)
      .filter(([name, rule]) => refusesStranger(rule) || isAsked(name, rule))
      .map(([name]) => name)
    // Whoever has a media token may have been allowed to join, and is no longer.
    expect([...ruleNames].sort()).toEqual([...named, 'mayJoin'].sort())
  })
})

test('metrics are for the holder of the token, and for this machine unless something is in front of it', () => {
  const ask = (holdsToken: boolean, isOnThisMachine: boolean, isBehindProxy: boolean) =>
    rules.mayReadMetrics({ holdsToken, isOnThisMachine, isBehindProxy })
  expect([ask(true, false, true), ask(false, true, false)]).toEqual([true, true])
  expect([ask(false, true, true), ask(false, false, false)]).toEqual([false, false])
})
