import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'

export const RoomRole = Type.Unsafe<'role_room_user' | 'role_room_moderator'>(
  Type.String({ enum: ['role_room_user', 'role_room_moderator'], examples: ['role_room_user'] }),
)
export type RoomRole = Static<typeof RoomRole>

const Grant = {
  userId: Id('User'),
  username: Type.String(),
  displayName: Type.String(),
  role: RoomRole,
  createdAt: Time('When it was granted'),
}

export const roles = {
  grantRole: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/rooms/:roomId/roles',
    tag: 'Room roles',
    summary: 'Grant a room role',
    description:
      'Gives the user the rights of the role in this room, in place of an earlier role. ' +
      'To join a room of a private space the user needs an invite to the space as well.',
    tokens: ['user', 'client'],
    idempotent: true,
    body: Type.Object({ targetUserId: Id('The user who receives the role'), role: RoomRole }, closed),
    answer: Type.Object({ targetUserId: Id('User'), role: RoomRole }),
  }),
  listRoles: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId/roles',
    tag: 'Room roles',
    summary: 'List the roles of a room',
    tokens: ['user', 'client'],
    query: PageQuery,
    answer: Page(Type.Object(Grant, { title: 'Room role' })),
  }),
  getRole: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId/roles/:userId',
    tag: 'Room roles',
    summary: 'Read the role of a user in a room',
    description: 'With what would end with it: guest links that they made and the guests who came by them.',
    tokens: ['user', 'client'],
    answer: Type.Object({
      ...Grant,
      linkCount: Type.Integer({ description: 'Guest links of theirs that can still be used' }),
      guestCount: Type.Integer({ description: 'Guests who came by their links and may be in the room' }),
    }),
  }),
  revokeRole: operation({
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/rooms/:roomId/roles/:userId',
    tag: 'Room roles',
    summary: 'Revoke a room role',
    description: 'Guest links that they made for the room, and the guests who came by them, end with it.',
    tokens: ['user', 'client'],
    answer: Empty,
  }),
}
