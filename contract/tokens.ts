import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Nullable, OpenEnum, open, Text } from './common.ts'
import { operation } from './operation.ts'
import { NewUser } from './users.ts'

const Given = (description: string, example?: string) =>
  Text(4096, { description, ...(example !== undefined && { examples: [example] }) })

const Client = {
  client_id: Type.Optional(
    Given(
      'ID of the API client, with its secret, here or as HTTP Basic. Required again to use a refresh token issued to it. ' +
        'The ID of a program that is not an API client, without a secret, changes nothing',
    ),
  ),
  client_secret: Type.Optional(Given('Secret of the API client')),
  scope: Type.Optional(Given('Accepted and ignored')),
}

const fields = {
  username: Given('Email address or username', 'ada'),
  password: Given('Password', 'correct horse battery'),
  refresh_token: Given('Latest refresh token'),
  captchaToken: NewUser.properties.captchaToken,
}

export const grantTypes = ['password', 'client_credentials', 'refresh_token'] as const
export type GrantType = (typeof grantTypes)[number]

export const Tokens = Type.Object(
  {
    token_type: Type.Literal('Bearer'),
    access_token: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds until the access token expires' }),
    refresh_token: Type.Optional(Type.String({ description: 'Absent for client_credentials' })),
  },
  { title: 'Tokens' },
)
export type Tokens = Static<typeof Tokens>

/** RFC 6749 §5.2, also for what else can be wrong at its endpoints. */
export const OAuthError = Type.Object(
  {
    error: OpenEnum(
      ['invalid_grant', 'invalid_client', 'invalid_request', 'unsupported_grant_type', 'temporarily_unavailable'],
      { description: 'What is wrong' },
    ),
    error_description: Type.String({ description: 'Description in English' }),
  },
  { title: 'OAuthError' },
)
export type OAuthError = Static<typeof OAuthError>

export const tokens = {
  createToken: operation({
    method: 'POST',
    path: '/v1/auth/token',
    tag: 'Tokens',
    summary: 'Create a token',
    description:
      'OAuth 2.0 (RFC 6749), as JSON or as a form: `grant_type` is `password`, `client_credentials` or `refresh_token`. ' +
      'Access tokens expire after 15 minutes. A session ends 30 days after its last use, and at the latest after 365 days. ' +
      'A refresh token can be used once: ' +
      'using it again within 10 seconds returns the same new token, and using it later ends the session. ' +
      'A refresh token issued to an API client can be used only by that client. ' +
      'Errors are `{error, error_description}`.',
    tokens: [],
    // One flat object for the document and the form; the route checks the fields of the grant at hand.
    body: Type.Object(
      {
        grant_type: Type.Unsafe<GrantType>(Type.String({ enum: [...grantTypes], examples: ['password'] })),
        username: Type.Optional(fields.username),
        password: Type.Optional(fields.password),
        refresh_token: Type.Optional(fields.refresh_token),
        captchaToken: fields.captchaToken,
        ...Client,
      },
      { ...open, examples: [{ grant_type: 'password', username: 'ada', password: 'correct horse battery' }] },
    ),
    answer: Tokens,
  }),
  revokeToken: operation({
    method: 'POST',
    path: '/v1/auth/revoke',
    tag: 'Tokens',
    summary: 'Revoke a token',
    description:
      'RFC 7009. Ends the session the token belongs to, or the personal access token. Always returns 200, even for unknown tokens.',
    tokens: [],
    body: Type.Object(
      {
        token: Given('An access, refresh or personal access token', '<TOKEN>'),
        token_type_hint: Type.Optional(Given('Ignored')),
        ...Client,
      },
      open,
    ),
    answer: Empty,
    audit: ['token.deleted'],
  }),
  createSession: operation({
    method: 'POST',
    path: '/v1/auth/session',
    tag: 'Tokens',
    summary: 'Sign in with cookies',
    description: 'For pages of this origin. Sets the HttpOnly cookies `accessToken` and `refreshToken`.',
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
    errors: ['credentials_invalid', 'captcha_required', 'captcha_failed', 'cross_site_request'],
  }),
  getSession: operation({
    method: 'GET',
    path: '/v1/auth/session',
    tag: 'Tokens',
    summary: 'Retrieve the signed-in user',
    description:
      'Reads the session cookie. Without a session, returns null instead of 401. To renew the cookies, use `refreshSession`.',
    tokens: [],
    answer: Type.Object({ id: Nullable(Id('User')) }),
  }),
  deleteSession: operation({
    method: 'DELETE',
    path: '/v1/auth/session',
    tag: 'Tokens',
    summary: 'Sign out',
    description: 'Ends the session and clears its cookies.',
    tokens: [],
    answer: Empty,
    errors: ['cross_site_request'],
  }),
  refreshSession: operation({
    method: 'POST',
    path: '/v1/auth/session/refresh',
    tag: 'Tokens',
    summary: 'Renew the session cookies',
    tokens: [],
    body: Empty,
    answer: Type.Object({ id: Id('User') }),
    errors: ['token_required', 'token_invalid', 'credentials_invalid', 'cross_site_request'],
  }),
}
