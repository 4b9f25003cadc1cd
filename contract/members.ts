import Type from 'typebox'
import { closed, Empty, Id, OneOf, Page, Search, Time } from './common.ts'
import { InviteRole } from './invites.ts'
import { operation } from './operation.ts'
import { SpaceRole, spaceRoles } from './spaces.ts'

const Member = Type.Object(
  {
    userId: Id('User'),
    username: Type.String(),
    displayName: Type.String(),
    role: SpaceRole,
    joinedAt: Time('When they became a member'),
    updatedAt: Time('When their role last changed, or they joined'),
  },
  { title: 'Member' },
)

export const members = {
  listMembers: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/members',
    tag: 'Members',
    summary: 'List the members of a space',
    tokens: ['user', 'client'],
    scope: 'members:read',
    query: Type.Object(
      {
        role: Type.Optional(OneOf(spaceRoles, { description: 'Only members with this role' })),
        ...Search('name'),
      },
      closed,
    ),
    answer: Page(Member),
  }),
  addMember: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/members',
    tag: 'Members',
    summary: 'Add a user without an invite',
    description:
      'Requires the space owner, and an operator who allows it (`LECTERN_DIRECT_MEMBERS`): otherwise 403 ' +
      '`direct_members_off`, and people join with an invite. Who is a member already stays what they are. For an email ' +
      'address that no user has, the answer is the same; an unknown `userId` is 404 `not_found`.',
    tokens: ['user'],
    scope: 'members:write',
    idempotent: true,
    body: Type.Object(
      {
        userId: Type.Optional(Id('User. Either this or `email`')),
        email: Type.Optional(
          Type.String({
            format: 'email',
            maxLength: 254,
            description: 'Email address of a user. Either this or `userId`',
            examples: ['ada@example.com'],
          }),
        ),
        role: InviteRole,
      },
      {
        ...closed,
        // `role` and one of the others: a way to say it that every generator understands.
        minProperties: 2,
        maxProperties: 2,
        'x-allowed': 'role with either userId or email',
        examples: [{ email: 'ada@example.com', role: 'role_space_user' }],
      },
    ),
    answer: Empty,
    errors: ['direct_members_off'],
    audit: ['member.added'],
  }),
  setMemberRole: operation({
    method: 'PUT',
    path: '/v1/spaces/:spaceId/members/:userId',
    tag: 'Members',
    summary: 'Change a member’s role',
    description:
      'Requires the space owner, whose own role changes only with the ownership. Who is no longer a moderator keeps their room roles and rooms; their unused invites work again once they are.',
    tokens: ['user'],
    scope: 'members:write',
    body: Type.Object({ role: InviteRole }, closed),
    answer: Type.Object({ userId: Id('User'), role: SpaceRole }),
    audit: ['member.role_changed'],
  }),
  removeMember: operation({
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/members/:userId',
    tag: 'Members',
    summary: 'Remove a member, or leave the space',
    description:
      'Their room roles in the space are revoked, rooms they created are transferred to the owner, and their unused invites and links are revoked.',
    tokens: ['user'],
    scope: 'members:write',
    answer: Empty,
    audit: ['member.removed', 'member.left'],
  }),
}
