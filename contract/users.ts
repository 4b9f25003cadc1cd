import Type, { type Static } from 'typebox'
import {
  closed,
  Empty,
  ExternalId,
  ExternalIdFilter,
  Id,
  Line,
  Metadata,
  NewMetadata,
  Nullable,
  Page,
  PageQuery,
  Search,
  Text,
  Time,
} from './common.ts'
import { operation } from './operation.ts'

export const Email = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'Email address. Unique, case-insensitive',
  examples: ['ada@example.com'],
})

export const Username = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '\\S',
  format: 'username',
  description: 'Username. Unique, case-insensitive. May contain @ only if it is the user’s own email address',
  examples: ['ada'],
})

export const Password = Text(256, {
  minLength: 8,
  description: 'At least 8 characters',
  examples: ['correct horse battery'],
})

const Phone = Type.String({
  pattern: '^\\+?[0-9 ().-]{3,32}$',
  'x-allowed': '3 to 32 digits, spaces and ( ) . -, with a + in front if need be',
  description: 'Phone number',
  examples: ['+372 5555 1234'],
})
const CaptchaToken = Text(8192, {
  description: 'Response of the captcha widget. Required if a captcha provider is configured',
})
const DisplayName = Line(200, {
  description: 'Name shown to others. Default: the username',
  examples: ['Ada Lovelace'],
})

export const NewUser = Type.Object(
  {
    email: Email,
    username: Username,
    password: Password,
    phone: Type.Optional(Phone),
    captchaToken: Type.Optional(CaptchaToken),
  },
  { ...closed, title: 'NewUser' },
)
export type NewUser = Static<typeof NewUser>

export const Me = Type.Object(
  {
    id: Id('User'),
    email: Type.String(),
    username: Type.String(),
    displayName: Type.String(),
    phone: Nullable(Type.String()),
    isOperator: Type.Boolean(),
    createdAt: Time('When the account was created'),
    updatedAt: Time('When it was last changed'),
    externalId: Nullable(Type.String({ description: 'ID in another system, set by the operator' })),
    metadata: Metadata,
  },
  { title: 'User' },
)

const accountChange = {
  email: Type.Optional(Email),
  username: Type.Optional(Username),
  displayName: Type.Optional(Nullable(DisplayName)),
  phone: Type.Optional(Nullable(Phone)),
}

const Session = Type.Object(
  {
    id: Id('Session'),
    createdAt: Time('When the user signed in'),
    lastUsedAt: Time('When it was last used to sign in or refresh'),
    expiresAt: Time('When the session expires'),
    userAgent: Nullable(Type.String()),
    isCurrent: Type.Boolean({ description: 'Whether this request uses the session' }),
  },
  { title: 'Session' },
)

const UserId = Type.Object({ id: Id('The new user') })

export const users = {
  createUser: operation({
    method: 'POST',
    path: '/v1/users',
    tag: 'Users',
    summary: 'Create a user',
    description: 'Any user can create users.',
    tokens: ['user'],
    scope: 'members:write',
    idempotent: true,
    body: NewUser,
    answer: UserId,
    errors: ['email_taken', 'username_taken', 'captcha_required', 'captcha_failed'],
    audit: ['user.created'],
  }),
  listUsers: operation({
    method: 'GET',
    path: '/v1/users',
    tag: 'Operator',
    summary: 'List all users',
    tokens: ['user', 'client'],
    scope: null,
    description:
      'With `q`, those whose name begins with it, then those whose username, then those whose email address does.',
    query: Type.Object(
      {
        ...ExternalIdFilter,
        email: Type.Optional(Text(254, { minLength: 1, description: 'Only the one with this email address' })),
        ...Search('name, username or email address'),
      },
      closed,
    ),
    answer: Page(Me),
  }),
  getUser: operation({
    method: 'GET',
    path: '/v1/users/:userId',
    tag: 'Operator',
    summary: 'Retrieve a user',
    tokens: ['user', 'client'],
    scope: null,
    answer: Me,
  }),
  updateUser: operation({
    method: 'PATCH',
    path: '/v1/users/:userId',
    tag: 'Operator',
    summary: 'Update a user',
    tokens: ['user'],
    scope: null,
    body: Type.Object(
      {
        ...accountChange,
        externalId: Type.Optional(Nullable(ExternalId('among all users'))),
        metadata: Type.Optional(NewMetadata),
      },
      { ...closed, examples: [{ externalId: 'student-42' }] },
    ),
    answer: Me,
    errors: ['email_taken', 'username_taken', 'external_id_taken'],
    audit: ['user.updated'],
  }),
  deleteUser: operation({
    method: 'DELETE',
    path: '/v1/users/:userId',
    tag: 'Operator',
    summary: 'Delete a user',
    description:
      'Fails while the user owns spaces. Rooms they created are transferred to the owner of the space, and their tokens stop working immediately.',
    tokens: ['user'],
    scope: null,
    answer: Empty,
    errors: ['owns_spaces', 'last_operator'],
    audit: ['user.deleted'],
  }),
  resetPassword: operation({
    method: 'PUT',
    path: '/v1/users/:userId/password',
    tag: 'Operator',
    summary: 'Reset a user’s password',
    description:
      'Ends all sessions of the user. Their API clients and personal access tokens keep working unless `endClients` is true.',
    tokens: ['user'],
    scope: null,
    body: Type.Object(
      {
        password: Password,
        endClients: Type.Optional(
          Type.Boolean({
            default: false,
            description:
              'Also delete the user’s API clients and personal access tokens, which stop working immediately',
          }),
        ),
      },
      closed,
    ),
    answer: Empty,
    audit: ['user.password_reset'],
  }),
  getMe: operation({
    method: 'GET',
    path: '/v1/users/me',
    tag: 'Users',
    summary: 'Retrieve your account',
    tokens: ['user', 'client'],
    scope: 'any',
    answer: Me,
  }),
  updateMe: operation({
    method: 'PATCH',
    path: '/v1/users/me',
    tag: 'Users',
    summary: 'Update your account',
    tokens: ['user'],
    scope: null,
    body: Type.Object(accountChange, { ...closed, title: 'UserPatch', examples: [{ displayName: 'Ada Lovelace' }] }),
    answer: Me,
    errors: ['email_taken', 'username_taken'],
    audit: ['user.updated'],
  }),
  changePassword: operation({
    method: 'PUT',
    path: '/v1/users/me/password',
    tag: 'Users',
    summary: 'Change your password',
    description: 'Ends your other sessions immediately. API clients and personal access tokens keep working.',
    tokens: ['user'],
    scope: null,
    body: Type.Object(
      {
        currentPassword: Text(256, { description: 'Current password', examples: ['correct horse battery'] }),
        newPassword: Password,
      },
      closed,
    ),
    answer: Empty,
    errors: ['not_allowed'],
    audit: ['user.password_changed'],
  }),
  listSessions: operation({
    method: 'GET',
    path: '/v1/users/me/sessions',
    tag: 'Users',
    summary: 'List your sessions',
    tokens: ['user', 'client'],
    scope: null,
    query: PageQuery,
    answer: Page(Session),
  }),
  endOtherSessions: operation({
    method: 'DELETE',
    path: '/v1/users/me/sessions',
    tag: 'Users',
    summary: 'End all your other sessions',
    tokens: ['user'],
    scope: null,
    answer: Empty,
    audit: ['session.ended'],
  }),
  endSession: operation({
    method: 'DELETE',
    path: '/v1/users/me/sessions/:sessionId',
    tag: 'Users',
    summary: 'End one of your sessions',
    tokens: ['user'],
    scope: null,
    answer: Empty,
    audit: ['session.ended'],
  }),
}
