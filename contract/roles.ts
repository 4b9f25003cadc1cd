import Type, { type Static } from 'typebox'
import { closed, Empty, Id, OneOf, Page, Paging, Time } from './common.ts'
import { operation } from './operation.ts'

const roomRoles = ['role_room_user', 'role_room_moderator'] as const
export const RoomRole = OneOf(roomRoles, { examples: ['role_room_user'] })
export type RoomRole = Static<typeof RoomRole>

const Grant = {
  userId: Id('User'),
  username: Type.String(),
  displayName: Type.String(),
  role: RoomRole,
  createdAt: Time('When they were first given a role in the room'),
  updatedAt: Time('When they were given this one'),
}

export const roles = {
  grantRole: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/rooms/:roomId/roles',
    tag: 'Room roles',
    summary: 'Grant a room role',
    description:
      'Replaces any earlier role of the user in this room. ' +
      'To join a room of a private space, the user must also be a member of the space.',
    tokens: ['user', 'client'],
    scope: 'roles:write',
    idempotent: true,
    body: Type.Object({ targetUserId: Id('User who receives the role'), role: RoomRole }, closed),
    answer: Type.Object({ targetUserId: Id('User'), role: RoomRole }),
    audit: ['role.granted'],
  }),
  listRoles: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId/roles',
    tag: 'Room roles',
    summary: 'List the roles of a room',
    tokens: ['user', 'client'],
    scope: 'roles:read',
    query: Type.Object(
      { role: Type.Optional(OneOf(roomRoles, { description: 'Only users with this role' })), ...Paging },
      closed,
    ),
    answer: Page(Type.Object(Grant, { title: 'RoleGrant' })),
  }),
  getRole: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId/roles/:userId',
    tag: 'Room roles',
    summary: 'Retrieve a user’s role in a room',
    description: 'Includes how many guest links and guests would lose access if the role were revoked.',
    tokens: ['user', 'client'],
    scope: 'roles:read',
    answer: Type.Object(
      {
        ...Grant,
        linkCount: Type.Integer({ description: 'Guest links they created that can still be used' }),
        guestCount: Type.Integer({ description: 'Guests with access to the room through their links' }),
      },
      { title: 'RoleGrantWithLinks' },
    ),
  }),
  revokeRole: operation({
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/rooms/:roomId/roles/:userId',
    tag: 'Room roles',
    summary: 'Revoke a room role',
    description: 'Guest links the user created for the room stop working, and their guests lose access.',
    tokens: ['user', 'client'],
    scope: 'roles:write',
    answer: Empty,
    audit: ['role.revoked'],
  }),
}
