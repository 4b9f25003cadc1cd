import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Line, Nullable, Page, PageQuery, Text, Time } from './common.ts'
import { operation } from './operation.ts'

export const Email = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'E-mail address, unique ignoring case',
  examples: ['ada@example.com'],
})

export const Username = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^(?=.*\\S)[^\\p{C}]+$',
  description: 'Login name, unique ignoring case; an @ only when it is the user’s own e-mail address',
  examples: ['ada'],
})

export const Password = Text(256, {
  minLength: 8,
  description: 'At least 8 characters',
  examples: ['correct horse battery'],
})

const Phone = Type.String({
  pattern: '^\\+?[0-9 ().-]{3,32}$',
  description: 'Telephone number',
  examples: ['+372 5555 1234'],
})
const CaptchaToken = Text(8192, {
  description: 'The answer of the captcha widget; required when the installation has a captcha provider',
})
const DisplayName = Line(200, {
  description: 'The name others see; the username unless set',
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
  closed,
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
    createdAt: Time('When the account was made'),
  },
  { title: 'User' },
)

const Session = Type.Object(
  {
    id: Id('Session'),
    createdAt: Time('Signed in'),
    lastUsedAt: Time('Signed in or refreshed last'),
    expiresAt: Time('Sign in again by then'),
    userAgent: Nullable(Type.String()),
    isCurrent: Type.Boolean({ description: 'The session this request is made with' }),
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
    description: 'Any signed-in user may create another. Needs a user token.',
    tokens: ['user'],
    idempotent: true,
    body: NewUser,
    answer: UserId,
  }),
  listUsers: operation({
    method: 'GET',
    path: '/v1/users',
    tag: 'Operator',
    summary: 'List all users',
    tokens: ['user', 'client'],
    query: PageQuery,
    answer: Page(Me),
  }),
  deleteUser: operation({
    method: 'DELETE',
    path: '/v1/users/:userId',
    tag: 'Operator',
    summary: 'Delete a user',
    description:
      'Refused while the user owns spaces. Rooms they created pass to the owner of the space; their tokens stop at once.',
    tokens: ['user'],
    answer: Empty,
  }),
  resetPassword: operation({
    method: 'PUT',
    path: '/v1/users/:userId/password',
    tag: 'Operator',
    summary: 'Reset a user’s password',
    description:
      'Ends all sessions of that user. Their API clients go on, as backends depend on them, unless `endClients` is true.',
    tokens: ['user'],
    body: Type.Object(
      {
        password: Password,
        endClients: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'Deletes the API clients of the user, too: their tokens and secrets stop at once',
          }),
        ),
      },
      closed,
    ),
    answer: Empty,
  }),
  getMe: operation({
    method: 'GET',
    path: '/v1/users/me',
    tag: 'Users',
    summary: 'Read your own account',
    tokens: ['user', 'client'],
    answer: Me,
  }),
  updateMe: operation({
    method: 'PATCH',
    path: '/v1/users/me',
    tag: 'Users',
    summary: 'Change your own account',
    tokens: ['user'],
    body: Type.Object(
      {
        email: Type.Optional(Email),
        username: Type.Optional(Username),
        displayName: Type.Optional(Nullable(DisplayName)),
        phone: Type.Optional(Nullable(Phone)),
      },
      closed,
    ),
    answer: Me,
  }),
  changePassword: operation({
    method: 'PUT',
    path: '/v1/users/me/password',
    tag: 'Users',
    summary: 'Change your password',
    description: 'Ends your other sessions at once.',
    tokens: ['user'],
    body: Type.Object(
      {
        currentPassword: Text(256, { description: 'The password until now', examples: ['correct horse battery'] }),
        newPassword: Password,
      },
      closed,
    ),
    answer: Empty,
  }),
  listSessions: operation({
    method: 'GET',
    path: '/v1/users/me/sessions',
    tag: 'Users',
    summary: 'List your sessions',
    tokens: ['user', 'client'],
    query: PageQuery,
    answer: Page(Session),
  }),
  endOtherSessions: operation({
    method: 'DELETE',
    path: '/v1/users/me/sessions',
    tag: 'Users',
    summary: 'End all your sessions but this one',
    tokens: ['user'],
    answer: Empty,
  }),
  endSession: operation({
    method: 'DELETE',
    path: '/v1/users/me/sessions/:sessionId',
    tag: 'Users',
    summary: 'End one of your sessions',
    tokens: ['user'],
    answer: Empty,
  }),
}
