import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Line, Nullable, OpenEnum, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'
import { type Scope, scopes } from './scopes.ts'

/** What every personal access token begins with, so that people and scanners recognize one. */
export const PERSONAL_TOKEN_PREFIX = 'lectern_pat_'

const Scopes = Type.Array(Type.Unsafe<Scope>(Type.String({ enum: [...scopes] })), {
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  description: 'What the token can be used for. `:write` includes `:read`. Default: all',
  examples: [['rooms:write', 'links:write', 'calls:read']],
})

const PersonalToken = Type.Object(
  {
    id: Id('Token. The audit log has it as `tokenId`'),
    name: Type.String(),
    scopes: Type.Array(OpenEnum(scopes, { description: 'What the token can be used for' })),
    createdAt: Time('When it was created'),
    lastUsedAt: Nullable(Time('When it was last used, to the minute. null: never')),
    expiresAt: Nullable(Time('When it expires, or has expired. null: never')),
  },
  { title: 'PersonalToken' },
)
export type PersonalToken = Static<typeof PersonalToken>

const tag = 'Personal access tokens'

export const personalTokens = {
  createPersonalToken: operation({
    method: 'POST',
    path: '/v1/users/me/tokens',
    tag,
    summary: 'Create a personal access token',
    description:
      'For programs that act on your behalf: send it as `Authorization: Bearer <TOKEN>`, within its scopes, until it ' +
      'expires or you delete it. The token is returned only once. It can’t be used to manage tokens, API clients, ' +
      'sessions or your account, or for what requires an operator: `session_required`. Changing your password and ' +
      'signing out everywhere don’t end it.',
    tokens: ['user'],
    scope: null,
    idempotent: true,
    body: Type.Object(
      {
        name: Line(200, { description: 'What the token is for', examples: ['School backend'] }),
        expiresAt: Type.Optional(Nullable(Time('When it expires. Default: never', '2030-01-31T09:30:00.000Z'))),
        scopes: Type.Optional(Scopes),
      },
      { ...closed, examples: [{ name: 'School backend', scopes: ['rooms:write', 'links:write', 'calls:read'] }] },
    ),
    answer: Type.Object(
      {
        id: Id('Token'),
        token: Type.String({
          description: `The token. It begins with \`${PERSONAL_TOKEN_PREFIX}\``,
          examples: [`${PERSONAL_TOKEN_PREFIX}…`],
        }),
      },
      { title: 'PersonalTokenWithSecret' },
    ),
    audit: ['token.created'],
  }),
  listPersonalTokens: operation({
    method: 'GET',
    path: '/v1/users/me/tokens',
    tag,
    summary: 'List your personal access tokens',
    description: 'Newest first. An expired token is listed for 30 days.',
    tokens: ['user'],
    scope: null,
    query: PageQuery,
    answer: Page(PersonalToken),
  }),
  deletePersonalToken: operation({
    method: 'DELETE',
    path: '/v1/users/me/tokens/:tokenId',
    tag,
    summary: 'Delete a personal access token',
    description: 'It stops working immediately. Whoever holds one can also end it with `revokeToken`.',
    tokens: ['user'],
    scope: null,
    answer: Empty,
    audit: ['token.deleted'],
  }),
}
