import Type, { type Static } from 'typebox'
import { ParticipantRole } from './calls.ts'
import { closed, Empty, Id, Line, Nullable, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'
import { RoomRole } from './roles.ts'

export const RoomType = Type.Unsafe<'lesson' | 'webinar'>(
  Type.String({
    enum: ['lesson', 'webinar'],
    description: 'lesson: everyone may go on the air. webinar: only the room creator and moderators. Default lesson',
    examples: ['lesson'],
  }),
)
export type RoomType = Static<typeof RoomType>

const fields = {
  name: Line(200, { description: 'Room name', examples: ['Algebra, first lesson'] }),
  isScreensharingAllowed: Type.Boolean({
    description: 'Whether screens may be shared. Default true',
    examples: [true],
  }),
  isChatAllowed: Type.Boolean({ description: 'Whether there is a chat. Default true', examples: [true] }),
  isPublic: Type.Boolean({
    description: 'true: whoever has access to the space may join. false: a room role is needed. Default false',
    examples: [false],
  }),
  type: RoomType,
  isFloorAllowed: Type.Boolean({
    description: 'Whether moderators may put a webinar’s viewer on the air. Default false',
    examples: [false],
  }),
}

export const RoomPatch = Type.Object(
  {
    name: Type.Optional(fields.name),
    isScreensharingAllowed: Type.Optional(fields.isScreensharingAllowed),
    isChatAllowed: Type.Optional(fields.isChatAllowed),
    isPublic: Type.Optional(fields.isPublic),
    type: Type.Optional(fields.type),
    isFloorAllowed: Type.Optional(fields.isFloorAllowed),
  },
  closed,
)
export type RoomPatch = Static<typeof RoomPatch>

export const NewRoom = Type.Object({ ...RoomPatch.properties, name: fields.name }, closed)
export type NewRoom = Static<typeof NewRoom>

const Alias = Type.String({
  description: 'Short name for links, usable wherever a room id is',
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
    creatorId: Id('The room creator'),
    createdAt: Time('When it was made'),
  },
  { title: 'Room' },
)
export type Room = Static<typeof Room>

/** As one caller sees it. */
const RoomAndRole = Type.Object(
  { ...Room.properties, role: Nullable(RoomRole) },
  { title: 'Room and role', description: 'With the room role of the caller, if they hold one' },
)

export const rooms = {
  createRooms: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/rooms',
    tag: 'Rooms',
    summary: 'Create a room',
    description: 'By the space owner or a space moderator, who becomes the room creator. Needs a user token.',
    tokens: ['user'],
    idempotent: true,
    body: NewRoom,
    answer: Type.Object({
      alias: Alias,
      id: Id('The new room'),
      channelId: Type.String({ description: 'Service data, not used in other requests' }),
    }),
  }),
  listRooms: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms',
    tag: 'Rooms',
    summary: 'List the rooms of a space',
    description: 'Newest first. Owner and space moderators see all rooms, others those they may join.',
    tokens: ['user', 'client'],
    query: PageQuery,
    answer: Page(Room),
  }),
  getRoom: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId',
    tag: 'Rooms',
    summary: 'Read a room',
    tokens: ['user', 'client', 'guest'],
    answer: RoomAndRole,
  }),
  updateRoom: operation({
    method: 'PATCH',
    path: '/v1/spaces/:spaceId/rooms/:roomId',
    tag: 'Rooms',
    summary: 'Change a room',
    tokens: ['user'],
    body: RoomPatch,
    answer: RoomAndRole,
  }),
  deleteRoom: operation({
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/rooms/:roomId',
    tag: 'Rooms',
    summary: 'Delete a room',
    description: 'With its roles and links. It cannot be undone.',
    tokens: ['user'],
    answer: Empty,
  }),
  getRoomByAlias: operation({
    method: 'GET',
    path: '/v1/spaces/room-by-alias/:alias',
    tag: 'Rooms',
    summary: 'Find a room by its alias',
    description:
      'Needs no token; with one it says whether its bearer may join. The names, and the role one would have, are told only to those who may.',
    tokens: ['user', 'client', 'guest'],
    tokenOptional: true,
    answer: Type.Object({
      spaceId: Id('Space'),
      roomId: Id('Room'),
      type: RoomType,
      entry: Type.Unsafe<'open' | 'sign_in' | 'private'>(
        Type.String({
          enum: ['open', 'sign_in', 'private'],
          description: 'open: you may join. sign_in: any user may. private: by invite, role or guest link only',
        }),
      ),
      role: Nullable(ParticipantRole),
      spaceName: Nullable(Type.String()),
      roomName: Nullable(Type.String()),
      logo: Nullable(Type.String()),
    }),
  }),
}
