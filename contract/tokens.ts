import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Nullable, Text } from './common.ts'
import { operation } from './operation.ts'
import { NewUser } from './users.ts'

const Given = (description: string, example?: string) =>
  Text(4096, { description, ...(example !== undefined && { examples: [example] }) })

const Client = {
  client_id: Type.Optional(
    Given('The API client; optional, but right if given. A refresh token issued to one needs it again'),
  ),
  client_secret: Type.Optional(Given('Its secret')),
  scope: Type.Optional(Given('Accepted and ignored')),
}

const fields = {
  username: Given('E-mail address or username', 'ada'),
  password: Given('Password', 'correct horse battery'),
  refresh_token: Given('The latest refresh token'),
  captchaToken: NewUser.properties.captchaToken,
}

export type GrantType = 'password' | 'client_credentials' | 'refresh_token'

export const Tokens = Type.Object(
  {
    token_type: Type.Literal('Bearer'),
    access_token: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds the access token lives' }),
    refresh_token: Type.Optional(Type.String({ description: 'Not for client_credentials' })),
  },
  { title: 'Tokens' },
)
export type Tokens = Static<typeof Tokens>

export const tokens = {
  createToken: operation({
    method: 'POST',
    path: '/v1/auth/token',
    tag: 'Tokens',
    summary: 'Get tokens',
    description:
      'OAuth 2.0 (RFC 6749), as JSON or as a form: `grant_type` is `password`, `client_credentials` or `refresh_token`. ' +
      'An access token lives 15 minutes; a refresh token is good for one use, and a session for 30 days. ' +
      'A refresh token used twice within 10 seconds gives the same next one; used again later, it ends its session. ' +
      'One that was issued to an API client is refreshed by that client alone. ' +
      'Errors are `{error, error_description}`.',
    tokens: [],
    // One flat object for the document and the form; the route checks the fields of the grant at hand.
    body: Type.Object(
      {
        grant_type: Type.Unsafe<GrantType>(
          Type.String({ enum: ['password', 'client_credentials', 'refresh_token'], examples: ['password'] }),
        ),
        username: Type.Optional(fields.username),
        password: Type.Optional(fields.password),
        refresh_token: Type.Optional(fields.refresh_token),
        captchaToken: fields.captchaToken,
        ...Client,
      },
      { ...closed, examples: [{ grant_type: 'password', username: 'ada', password: 'correct horse battery' }] },
    ),
    answer: Tokens,
  }),
  revokeToken: operation({
    method: 'POST',
    path: '/v1/auth/revoke',
    tag: 'Tokens',
    summary: 'Revoke a token',
    description: 'RFC 7009: ends the session the token belongs to. Always 200, also for a token nobody knows.',
    tokens: [],
    body: Type.Object(
      {
        token: Given('An access or refresh token', '<TOKEN>'),
        token_type_hint: Type.Optional(Given('Ignored')),
        ...Client,
      },
      closed,
    ),
    answer: Empty,
  }),
  createSession: operation({
    method: 'POST',
    path: '/v1/auth/session',
    tag: 'Tokens',
    summary: 'Sign in with cookies',
    description: 'For pages of this origin: sets the HttpOnly cookies `accessToken` and `refreshToken`.',
    tokens: [],
    body: Type.Object(
      {
        username: fields.username,
        password: fields.password,
        captchaToken: fields.captchaToken,
      },
      closed,
    ),
    answer: Type.Object({ id: Id('User') }),
  }),
  getSession: operation({
    method: 'GET',
    path: '/v1/auth/session',
    tag: 'Tokens',
    summary: 'Find out who is signed in',
    description: 'By the cookies, renewed or not yet; null without a session. So a page need not fail to find out.',
    tokens: [],
    answer: Type.Object({ id: Nullable(Id('User')) }),
  }),
  deleteSession: operation({
    method: 'DELETE',
    path: '/v1/auth/session',
    tag: 'Tokens',
    summary: 'Sign out',
    description: 'Ends the session of the cookies and clears them.',
    tokens: [],
    answer: Empty,
  }),
  refreshSession: operation({
    method: 'POST',
    path: '/v1/auth/session/refresh',
    tag: 'Tokens',
    summary: 'Renew the cookies',
    tokens: [],
    body: Empty,
    answer: Type.Object({ id: Id('User') }),
  }),
}
