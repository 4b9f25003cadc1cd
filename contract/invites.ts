import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Line, Nullable, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'
import { SpaceRole } from './spaces.ts'
import { NewUser } from './users.ts'

export const InviteRole = Type.Unsafe<'role_space_moderator' | 'role_space_user'>(
  Type.String({ enum: ['role_space_moderator', 'role_space_user'], examples: ['role_space_user'] }),
)
export type InviteRole = Static<typeof InviteRole>

const InviteId = Type.String({ description: 'The invite. It can be used once, by anyone who has it' })

const label = Line(200, { description: 'Whom it is for, to tell invites apart', examples: ['Ada Lovelace'] })

const Invite = Type.Object(
  {
    id: InviteId,
    role: InviteRole,
    label: Nullable(Type.String({ description: 'Whom it is for' })),
    createdBy: Nullable(Id('User')),
    createdAt: Time('When it was created'),
    updatedAt: Time('When it was created, activated or revoked, whichever came last'),
    usedAt: Nullable(Time('When it was activated')),
    usedBy: Nullable(Id('User')),
    usedByName: Nullable(Type.String({ description: 'Name of that user' })),
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
    description: 'The owner can invite moderators and users. A space moderator can invite users.',
    tokens: ['user', 'client'],
    scope: 'invites:write',
    idempotent: true,
    body: Type.Object({ role: InviteRole, label: Type.Optional(label) }, closed),
    answer: Type.Object({ id: InviteId }),
    audit: ['invite.created'],
  }),
  createInvites: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/invites/batch',
    tag: 'Invites',
    summary: 'Create many invites',
    description:
      'One for each label, all or none. The owner can invite moderators and users. A space moderator can invite users.',
    tokens: ['user', 'client'],
    scope: 'invites:write',
    idempotent: true,
    body: Type.Object(
      {
        role: InviteRole,
        labels: Type.Array(label, { minItems: 1, maxItems: 100, examples: [['Ada Lovelace', 'grace@example.com']] }),
      },
      closed,
    ),
    answer: Type.Object({
      items: Type.Array(Type.Object({ id: InviteId, label: Type.String() }), {
        description: 'In the order of the labels',
      }),
    }),
    audit: ['invite.created'],
  }),
  listInvites: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/invites',
    tag: 'Invites',
    summary: 'List invites',
    description:
      'Space moderators see only the invites for users. To a personal access token without `invites:write`, `id` is the ' +
      'one of the audit log: it can’t be used to join.',
    tokens: ['user', 'client'],
    scope: 'invites:read',
    query: PageQuery,
    answer: Page(Invite),
  }),
  revokeInvite: operation({
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/invites/:inviteId',
    tag: 'Invites',
    summary: 'Revoke an invite',
    tokens: ['user'],
    scope: 'invites:write',
    answer: Empty,
    errors: ['invite_used', 'invite_revoked'],
    audit: ['invite.revoked'],
  }),
  inspectInvite: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/invites/:inviteId',
    tag: 'Invites',
    summary: 'Inspect an invite without using it',
    description:
      'Says where the invite leads, or why it can’t be used any more. No token is required, only the invite.',
    tokens: [],
    answer: Type.Object({
      spaceId: Id('Space'),
      spaceName: Type.String(),
      logo: Nullable(Type.String()),
      role: InviteRole,
    }),
    errors: ['invite_used', 'invite_revoked'],
  }),
  activateInvite: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/invites/:inviteId/activate',
    tag: 'Invites',
    summary: 'Activate an invite',
    description:
      'Adds the calling user to the space. An invite can be used once. ' +
      'Returns the role the user now has; a higher existing role is kept.',
    tokens: ['user'],
    scope: 'invites:write',
    idempotent: true,
    body: Empty,
    answer: Type.Object({ spaceId: Id('Space'), role: SpaceRole }),
    errors: ['invite_used', 'invite_revoked'],
    audit: ['invite.used'],
  }),
  registerWithInvite: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/invites/:inviteId/register',
    tag: 'Invites',
    summary: 'Register with an invite',
    description: 'Creates the account and activates the invite in one step. No token is required.',
    tokens: [],
    idempotent: true,
    body: NewUser,
    answer: Type.Object({ id: Id('The new user'), spaceId: Id('Space'), role: SpaceRole }),
    errors: ['invite_used', 'invite_revoked', 'email_taken', 'username_taken', 'captcha_required', 'captcha_failed'],
    audit: ['user.created', 'invite.used'],
  }),
}
