import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Line, Nullable, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'
import { RoomType } from './rooms.ts'

export const GuestRole = Type.Unsafe<'user' | 'moderator'>(
  Type.String({ enum: ['user', 'moderator'], examples: ['user'] }),
)
export type GuestRole = Static<typeof GuestRole>

const ParticipantName = Line(200, { description: 'The name others see', examples: ['Grace Hopper'] })

export const NewLink = Type.Object(
  {
    username: Type.Optional(ParticipantName),
    role: GuestRole,
    ttl: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 31_536_000,
        description: 'Seconds the link lives. Default 86400',
        examples: [86400],
      }),
    ),
    isPermanent: Type.Optional(
      Type.Boolean({
        description: 'true: can be used again within the ttl. false: one-time. Default false',
        examples: [false],
      }),
    ),
    externalUserId: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9]{1,128}$',
        description: 'The person in your own system, for analytics',
        examples: ['student42'],
      }),
    ),
  },
  closed,
)
export type NewLink = Static<typeof NewLink>

const Link = Type.Object(
  {
    id: Id('Link'),
    role: GuestRole,
    username: Nullable(Type.String()),
    externalUserId: Nullable(Type.String()),
    isPermanent: Type.Boolean(),
    createdBy: Nullable(Id('The user in whose name it counts; null when their account is gone')),
    createdByName: Nullable(Type.String({ description: 'Their name' })),
    createdAt: Time('When it was made'),
    expiresAt: Time('It cannot be used from then on'),
    usedAt: Nullable(Time('When it was used first')),
    revokedAt: Nullable(Time('When it was revoked')),
    isActive: Type.Boolean({
      description:
        'Whether it and the guests it let in count: not revoked, and whoever made it may still make links for the room',
    }),
    isUsable: Type.Boolean({
      description: 'Whether it lets someone in now: active, and neither used up nor expired',
    }),
  },
  { title: 'Link' },
)

const AccessToken = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[A-Za-z0-9_-]+$',
  description: 'The `accessToken` of the link',
  examples: ['5CXiTiUp02zPZ9Ei6Gr2NY7cP2yzVi9jxzVy3xjgAbc'],
})

const Target = {
  spaceId: Id('Space'),
  roomId: Id('Room'),
  alias: Type.String(),
  roomName: Type.String(),
  spaceName: Type.String(),
  logo: Nullable(Type.String()),
  type: RoomType,
  role: GuestRole,
}

export const links = {
  generateAccess: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/rooms/:roomId/generate-access',
    tag: 'Guest links',
    summary: 'Generate a guest link',
    description:
      'For a person without an account. Only the room creator or a room moderator may; a space owner who is neither is refused. ' +
      'The link and the guests it let in count while that is so: they end with the role and are back with it. Needs a user token.',
    tokens: ['user'],
    idempotent: true,
    body: NewLink,
    answer: Type.Object({
      url: Type.String({
        description: 'The link; its query has `participantName` (if a username was given) and `accessToken`',
        examples: ['https://lectern.example/room/abc-defg-hjk?participantName=Grace%20Hopper&accessToken=…'],
      }),
    }),
  }),
  listLinks: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId/links',
    tag: 'Guest links',
    summary: 'List the guest links of a room',
    tokens: ['user', 'client'],
    query: PageQuery,
    answer: Page(Link),
  }),
  revokeLink: operation({
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/rooms/:roomId/links/:linkId',
    tag: 'Guest links',
    summary: 'Revoke a guest link',
    description: 'Also ends the guest tokens that came from it.',
    tokens: ['user'],
    answer: Empty,
  }),
  inspectAccess: operation({
    method: 'POST',
    path: '/v1/access/inspect',
    tag: 'Guest links',
    summary: 'Look at a guest link without using it',
    tokens: [],
    body: Type.Object({ accessToken: AccessToken }, closed),
    answer: Type.Object({
      ...Target,
      participantName: Nullable(Type.String()),
      isPermanent: Type.Boolean(),
      expiresAt: Time('Use it before'),
    }),
  }),
  redeemAccess: operation({
    method: 'POST',
    path: '/v1/access/redeem',
    tag: 'Guest links',
    summary: 'Use a guest link',
    description:
      'Gives a guest token, good for this room for 24 hours. A one-time link is spent by it; with an `Idempotency-Key` ' +
      'the same request gets the same answer for 10 minutes, so that a lost answer costs nothing.',
    tokens: [],
    idempotent: true,
    body: Type.Object({ accessToken: AccessToken, participantName: Type.Optional(ParticipantName) }, closed),
    answer: Type.Object({
      guestToken: Type.String(),
      expiresAt: Time('The guest token is good until then'),
      guestId: Id('The guest'),
      participantName: Type.String(),
      ...Target,
    }),
  }),
}
