import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Nullable, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'
import { SpaceRole } from './spaces.ts'
import { NewUser } from './users.ts'

export const InviteRole = Type.Unsafe<'role_space_moderator' | 'role_space_user'>(
  Type.String({ enum: ['role_space_moderator', 'role_space_user'], examples: ['role_space_user'] }),
)
export type InviteRole = Static<typeof InviteRole>

const InviteId = Type.String({ description: 'The invite; whoever holds it is admitted, once' })

const Invite = Type.Object(
  {
    id: InviteId,
    role: InviteRole,
    createdBy: Nullable(Id('User')),
    createdAt: Time('When it was made'),
    usedAt: Nullable(Time('When it was activated')),
    usedBy: Nullable(Id('User')),
    revokedAt: Nullable(Time('When it was revoked')),
  },
  { title: 'Invite' },
)

export const invites = {
  createInvite: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/invites',
    tag: 'Invites',
    summary: 'Create an invite',
    description: 'The owner invites moderators and users; a space moderator invites users.',
    tokens: ['user', 'client'],
    idempotent: true,
    body: Type.Object({ role: InviteRole }, closed),
    answer: Type.Object({ id: InviteId }),
  }),
  listInvites: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/invites',
    tag: 'Invites',
    summary: 'List invites',
    description: 'Space moderators see the invites for users only.',
    tokens: ['user', 'client'],
    query: PageQuery,
    answer: Page(Invite),
  }),
  revokeInvite: operation({
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/invites/:inviteId',
    tag: 'Invites',
    summary: 'Revoke an invite',
    tokens: ['user'],
    answer: Empty,
  }),
  activateInvite: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/invites/:inviteId/activate',
    tag: 'Invites',
    summary: 'Activate an invite',
    description:
      'Called with the token of the user to be admitted. The invite is used by it, once and for all. ' +
      'The answer is the standing the user now has; a higher one is never lowered.',
    tokens: ['user'],
    idempotent: true,
    body: Empty,
    answer: Type.Object({ spaceId: Id('Space'), role: SpaceRole }),
  }),
  registerWithInvite: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/invites/:inviteId/register',
    tag: 'Invites',
    summary: 'Register with an invite',
    description:
      'Creates the account and activates the invite for it, in one step. Needs no token: the invite is enough.',
    tokens: [],
    idempotent: true,
    body: NewUser,
    answer: Type.Object({ id: Id('The new user'), spaceId: Id('Space'), role: SpaceRole }),
  }),
}
