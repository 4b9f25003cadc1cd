import Type, { type Static } from 'typebox'
import { ParticipantRole } from './calls.ts'
import {
  closed,
  Empty,
  ExternalId,
  ExternalIdFilter,
  Id,
  Line,
  NewMetadata,
  Nullable,
  OneOf,
  Page,
  References,
  Search,
  SearchText,
  Time,
  WithDefault,
} from './common.ts'
import { operation } from './operation.ts'
import { RecordNotice } from './records.ts'
import { RoomRole } from './roles.ts'
import { IsStreamed } from './streams.ts'

export const RoomType = Type.Unsafe<'lesson' | 'webinar'>(
  Type.String({
    enum: ['lesson', 'webinar'],
    description: 'lesson: everyone can speak. webinar: only the room creator and moderators can',
    examples: ['lesson'],
  }),
)
export type RoomType = Static<typeof RoomType>

export const WaitingRoomAudience = Type.Unsafe<'nobody' | 'guests' | 'everyone'>(
  Type.String({
    enum: ['nobody', 'guests', 'everyone'],
    description: 'Who waits until a moderator admits them: nobody, guests, or everyone. Moderators never wait',
    examples: ['nobody'],
  }),
)
export type WaitingRoomAudience = Static<typeof WaitingRoomAudience>

const permission = (text: string) =>
  Type.Boolean({
    description: `${text} Moderators always can. Applies immediately, including to people in the call`,
    examples: [true],
  })

/** What everyone but the moderators' side may do in a call. */
const permissions = {
  isMicrophonePublishingAllowed: permission(
    'Whether participants can use their microphone. Turning it off mutes them, and they can’t unmute themselves.',
  ),
  isCameraPublishingAllowed: permission('Whether participants can use their camera.'),
  isScreenMediaPublishingAllowed: permission(
    'Whether participants can share their screen. `isScreensharingAllowed` must be on too.',
  ),
  isHandRaisingAllowed: permission('Whether participants can raise their hand. Turning it off lowers raised hands.'),
  isSelfRenamingAllowed: permission('Whether participants can change the name they are shown with in the call.'),
}

const fields = {
  name: Line(200, { description: 'Room name', examples: ['Algebra, first lesson'] }),
  isScreensharingAllowed: Type.Boolean({
    description:
      'Whether screen sharing is allowed, for everyone, moderators included. To keep it to moderators, ' +
      'leave this on and turn off `isScreenMediaPublishingAllowed`',
    examples: [true],
  }),
  isChatAllowed: Type.Boolean({ description: 'Whether chat is on', examples: [true] }),
  isPublic: Type.Boolean({
    description: 'true: anyone with access to the space can join. false: a room role is required',
    examples: [false],
  }),
  type: RoomType,
  isFloorAllowed: Type.Boolean({
    description:
      'Whether moderators can let webinar viewers speak. Turning it off takes the floor from those who have it',
    examples: [false],
  }),
  waitingRoomAudience: WaitingRoomAudience,
  isLocked: Type.Boolean({
    description:
      'true: only moderators and people who have been in the call can join; without a call, only moderators. ' +
      'Set back to false when the call ends',
    examples: [false],
  }),
  ...permissions,
  isRecordAllowed: Type.Boolean({
    description: 'Whether moderators can record calls. Turning it off stops a recording',
    examples: [true],
  }),
  isAutoRecordingAllowed: Type.Boolean({
    description: 'Whether calls are recorded from their start. `isRecordAllowed` must be on too',
    examples: [false],
  }),
}

const externalId = ExternalId('in its space')

export const RoomPatch = Type.Object(
  {
    name: Type.Optional(fields.name),
    isScreensharingAllowed: Type.Optional(fields.isScreensharingAllowed),
    isChatAllowed: Type.Optional(fields.isChatAllowed),
    isPublic: Type.Optional(fields.isPublic),
    type: Type.Optional(fields.type),
    isFloorAllowed: Type.Optional(fields.isFloorAllowed),
    waitingRoomAudience: Type.Optional(fields.waitingRoomAudience),
    isLocked: Type.Optional(fields.isLocked),
    isMicrophonePublishingAllowed: Type.Optional(fields.isMicrophonePublishingAllowed),
    isCameraPublishingAllowed: Type.Optional(fields.isCameraPublishingAllowed),
    isScreenMediaPublishingAllowed: Type.Optional(fields.isScreenMediaPublishingAllowed),
    isHandRaisingAllowed: Type.Optional(fields.isHandRaisingAllowed),
    isSelfRenamingAllowed: Type.Optional(fields.isSelfRenamingAllowed),
    isRecordAllowed: Type.Optional(fields.isRecordAllowed),
    isAutoRecordingAllowed: Type.Optional(fields.isAutoRecordingAllowed),
    externalId: Type.Optional(Nullable(externalId)),
    metadata: Type.Optional(NewMetadata),
  },
  { ...closed, title: 'RoomPatch' },
)
export type RoomPatch = Static<typeof RoomPatch>

export const NewRoom = Type.Object(
  {
    ...RoomPatch.properties,
    name: fields.name,
    externalId: Type.Optional(externalId),
    isScreensharingAllowed: WithDefault(fields.isScreensharingAllowed, true),
    isChatAllowed: WithDefault(fields.isChatAllowed, true),
    isPublic: WithDefault(fields.isPublic, false),
    type: WithDefault(fields.type, 'lesson'),
    isFloorAllowed: WithDefault(fields.isFloorAllowed, false),
    waitingRoomAudience: WithDefault(fields.waitingRoomAudience, 'nobody'),
    isLocked: WithDefault(fields.isLocked, false),
    isRecordAllowed: WithDefault(fields.isRecordAllowed, true),
    isAutoRecordingAllowed: WithDefault(fields.isAutoRecordingAllowed, false),
    isMicrophonePublishingAllowed: WithDefault(fields.isMicrophonePublishingAllowed, true),
    isCameraPublishingAllowed: WithDefault(fields.isCameraPublishingAllowed, true),
    isScreenMediaPublishingAllowed: WithDefault(fields.isScreenMediaPublishingAllowed, true),
    isHandRaisingAllowed: WithDefault(fields.isHandRaisingAllowed, true),
    isSelfRenamingAllowed: WithDefault(fields.isSelfRenamingAllowed, true),
  },
  { ...closed, title: 'NewRoom' },
)
export type NewRoom = Static<typeof NewRoom>

const Alias = Type.String({
  description: 'Room code used in links. Accepted wherever a room ID is',
  examples: ['abc-defg-hjk'],
})

export const Room = Type.Object(
  {
    id: Id('Room'),
    spaceId: Id('Space'),
    alias: Alias,
    channelId: Type.String(),
    name: Type.String(),
    type: RoomType,
    isPublic: Type.Boolean(),
    isChatAllowed: Type.Boolean(),
    isScreensharingAllowed: Type.Boolean(),
    isFloorAllowed: Type.Boolean(),
    waitingRoomAudience: WaitingRoomAudience,
    isLocked: Type.Boolean(),
    ...permissions,
    isRecordAllowed: Type.Boolean(),
    isAutoRecordingAllowed: Type.Boolean(),
    creatorId: Nullable(Id('Room creator; null if you are a guest')),
    createdAt: Time('When it was created'),
    updatedAt: Time('When it was last changed'),
    ...References,
  },
  { title: 'Room' },
)
export type Room = Static<typeof Room>

const RoomInSpace = Type.Object(
  { ...Room.properties, spaceName: Type.String() },
  { title: 'RoomInSpace', description: 'With the name of its space' },
)

/** As one caller sees it. */
const RoomAndRole = Type.Object(
  { ...Room.properties, role: Nullable(RoomRole) },
  { title: 'RoomWithRole', description: 'With the caller’s room role, if any' },
)

export const RoomSort = OneOf(['-createdAt', 'createdAt', 'name', '-name'], {
  description: 'Default -createdAt, newest first; with `q` name, and then only name and -name are allowed',
})
export type RoomSort = Static<typeof RoomSort>

const roomFilters = {
  ...ExternalIdFilter,
  type: Type.Optional(OneOf(['lesson', 'webinar'], { description: 'Only rooms of this type' })),
  live: Type.Optional(OneOf(['true', 'false'], { description: 'Only rooms with a live call, or only those without' })),
}

export const rooms = {
  createRooms: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/rooms',
    tag: 'Rooms',
    summary: 'Create a room',
    description: 'Requires the space owner or a space moderator. The caller becomes the room creator.',
    tokens: ['user'],
    scope: 'rooms:write',
    idempotent: true,
    body: NewRoom,
    answer: Type.Object(
      {
        alias: Alias,
        id: Id('The new room'),
        channelId: Type.String({ description: 'Internal; not used in other requests' }),
      },
      { title: 'CreatedRoom' },
    ),
    errors: ['external_id_taken'],
    audit: ['room.created'],
  }),
  listRooms: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms',
    tag: 'Rooms',
    summary: 'List the rooms of a space',
    description:
      'The owner and space moderators see all rooms; others see the rooms they can join. An `externalId` is found by the former alone.',
    tokens: ['user', 'client'],
    scope: 'rooms:read',
    query: Type.Object({ ...roomFilters, sort: Type.Optional(RoomSort), ...Search('name') }, closed),
    answer: Page(Room),
  }),
  searchRooms: operation({
    method: 'GET',
    path: '/v1/rooms',
    tag: 'Rooms',
    summary: 'Search the rooms of all your spaces',
    description:
      'By name. Of the spaces you are a member of, as `listRooms` lists them, and the rooms of other public spaces you have a role in.',
    tokens: ['user', 'client'],
    scope: 'rooms:read',
    query: Type.Object({ ...Search('name'), q: SearchText('name') }, closed),
    answer: Page(RoomInSpace),
  }),
  getRoom: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId',
    tag: 'Rooms',
    summary: 'Retrieve a room',
    tokens: ['user', 'client', 'guest'],
    scope: 'rooms:read',
    answer: RoomAndRole,
    errors: ['invite_required', 'role_required'],
  }),
  updateRoom: operation({
    method: 'PATCH',
    path: '/v1/spaces/:spaceId/rooms/:roomId',
    tag: 'Rooms',
    summary: 'Update a room',
    tokens: ['user'],
    scope: 'rooms:write',
    body: RoomPatch,
    answer: RoomAndRole,
    errors: ['external_id_taken'],
    audit: ['room.updated'],
  }),
  deleteRoom: operation({
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/rooms/:roomId',
    tag: 'Rooms',
    summary: 'Delete a room',
    description: 'Deletes its roles, links and recordings too. This can’t be undone.',
    tokens: ['user'],
    scope: 'rooms:write',
    answer: Empty,
    audit: ['room.deleted'],
  }),
  getRoomByAlias: operation({
    method: 'GET',
    path: '/v1/rooms/:alias',
    tag: 'Rooms',
    summary: 'Find a room by its alias',
    description:
      'Works without a token. With one, `entry` tells whether the caller has access. Names, role, `recording` and `isStreamed` are returned only to callers who have.',
    tokens: ['user', 'client', 'guest'],
    scope: 'rooms:read',
    tokenOptional: true,
    answer: Type.Object(
      {
        spaceId: Id('Space'),
        roomId: Id('Room'),
        type: RoomType,
        entry: Type.Unsafe<'open' | 'sign_in' | 'private'>(
          Type.String({
            enum: ['open', 'sign_in', 'private'],
            description:
              'open: you have access (joining can still be refused, for example with `removed`). sign_in: any user can join. private: requires an invite, role or guest link',
          }),
        ),
        role: Nullable(ParticipantRole),
        spaceName: Nullable(Type.String()),
        roomName: Nullable(Type.String()),
        logo: Nullable(Type.String()),
        recording: Nullable(RecordNotice),
        isStreamed: IsStreamed,
        name: Nullable(Type.String({ description: 'The name you join with: the one you chose in this call, if any' })),
        isRenamingAllowed: Type.Boolean({
          description:
            'Whether you can change the name you join with, by `renameGuest`: for guests whose link has no name',
        }),
      },
      { title: 'RoomEntry' },
    ),
  }),
}
