import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Line, Nullable, OneOf, Page, PageQuery, Paging, Time } from './common.ts'
import { operation } from './operation.ts'
import { RecordNotice } from './records.ts'
import { RoomType } from './rooms.ts'
import { IsStreamed } from './streams.ts'

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
        description: 'Seconds until the link expires',
        default: 86_400,
        examples: [86400],
      }),
    ),
    isPermanent: Type.Optional(
      Type.Boolean({
        description: 'true: can be used many times until it expires. false: can be used once',
        default: false,
        examples: [false],
      }),
    ),
    label: Type.Optional(
      Line(100, { description: 'What the link is for. Guests don’t see it', examples: ['Parents of class 7b'] }),
    ),
    externalUserId: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9]{1,128}$',
        'x-allowed': 'letters and digits, at most 128',
        description: 'ID of the person in your system, returned in attendance and events',
        examples: ['student42'],
      }),
    ),
  },
  { ...closed, title: 'NewLink' },
)
export type NewLink = Static<typeof NewLink>

const Link = Type.Object(
  {
    id: Id('Link'),
    label: Nullable(Type.String({ description: 'What the link is for' })),
    role: GuestRole,
    username: Nullable(Type.String()),
    externalUserId: Nullable(Type.String()),
    isPermanent: Type.Boolean(),
    createdBy: Nullable(Id('User who created the link, or who took over the room; null if the account was deleted')),
    createdByName: Nullable(Type.String({ description: 'Name of that user' })),
    createdAt: Time('When it was created'),
    updatedAt: Time('When it was created, first used or revoked, whichever came last'),
    expiresAt: Time('When it expires'),
    usedAt: Nullable(Time('When it was first used')),
    revokedAt: Nullable(Time('When it was revoked')),
    isActive: Type.Boolean({
      description:
        'Whether the link and its guests have access: it is not revoked, and its creator can still create links for the room',
    }),
    isUsable: Type.Boolean({
      description: 'Whether it can be used now: it is active, not used up and not expired',
    }),
    isCopyable: Type.Boolean({
      description: 'Whether `getLinkUrl` returns it: it is usable, and not from before links were kept',
    }),
  },
  { title: 'Link' },
)

const LinkGuest = Type.Object(
  { id: Id('Guest'), name: Type.String(), usedAt: Time('When they used the link') },
  { title: 'LinkGuest' },
)

const AccessToken = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[A-Za-z0-9_-]+$',
  'x-allowed': 'letters, digits, - and _',
  description: '`accessToken` of the link',
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
      'For people without an account. Requires the room creator or a room moderator; owning the space is not enough. ' +
      'If the creator of the link loses that role, the link and its guests lose access until the role is granted again.',
    tokens: ['user'],
    scope: 'links:write',
    idempotent: true,
    body: NewLink,
    answer: Type.Object({
      url: Type.String({
        description: 'The link. Its query contains `participantName`, if a username was given, and `accessToken`',
        examples: ['https://lectern.example/room/abc-defg-hjk?participantName=Grace%20Hopper&accessToken=…'],
      }),
    }),
    audit: ['link.created'],
  }),
  listLinks: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId/links',
    tag: 'Guest links',
    summary: 'List the guest links of a room',
    tokens: ['user', 'client'],
    scope: 'links:read',
    query: Type.Object(
      {
        state: Type.Optional(
          OneOf(['open', 'ended'], {
            description: 'open: only links that are not revoked, used up or expired. ended: only links that are',
          }),
        ),
        ...Paging,
      },
      closed,
    ),
    answer: Page(Link),
  }),
  getLinkUrl: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId/links/:linkId/url',
    tag: 'Guest links',
    summary: 'Copy a guest link again',
    description: 'Only while the link can be used. Links from before they were kept can’t be copied: `link_not_kept`.',
    tokens: ['user'],
    scope: 'links:write',
    answer: Type.Object({ url: Type.String({ description: 'The link, as `generateAccess` returned it' }) }),
    errors: ['link_not_kept', 'link_used', 'link_expired', 'link_revoked'],
  }),
  listLinkGuests: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId/links/:linkId/guests',
    tag: 'Guest links',
    summary: 'List who used a guest link',
    description: 'Newest first. Kept as long as the link.',
    tokens: ['user', 'client'],
    scope: 'links:read',
    query: PageQuery,
    answer: Page(LinkGuest),
  }),
  revokeLink: operation({
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/rooms/:roomId/links/:linkId',
    tag: 'Guest links',
    summary: 'Revoke a guest link',
    description: 'Guest tokens issued for it stop working.',
    tokens: ['user'],
    scope: 'links:write',
    answer: Empty,
    audit: ['link.revoked'],
  }),
  renameGuest: operation({
    method: 'PUT',
    path: '/v1/spaces/:spaceId/rooms/:roomId/guest/name',
    tag: 'Guest links',
    summary: 'Change your name as a guest',
    description:
      'For guests whose link has no name: the name others see when they join next. Refused where the room doesn’t let ' +
      'participants rename themselves.',
    tokens: ['guest'],
    body: Type.Object({ participantName: ParticipantName }, closed),
    answer: Type.Object({ participantName: Type.String() }),
    errors: ['renaming_off'],
  }),
  inspectAccess: operation({
    method: 'POST',
    path: '/v1/access/inspect',
    tag: 'Guest links',
    summary: 'Inspect a guest link without using it',
    tokens: [],
    body: Type.Object({ accessToken: AccessToken }, closed),
    answer: Type.Object(
      {
        ...Target,
        recording: Nullable(RecordNotice),
        isStreamed: IsStreamed,
        participantName: Nullable(Type.String()),
        isPermanent: Type.Boolean(),
        expiresAt: Time('When the link expires'),
      },
      { title: 'InspectedLink' },
    ),
    errors: ['not_found', 'link_used', 'link_expired', 'link_revoked'],
  }),
  redeemAccess: operation({
    method: 'POST',
    path: '/v1/access/redeem',
    tag: 'Guest links',
    summary: 'Use a guest link',
    description:
      'Returns a guest token for this room, valid for 24 hours. A one-time link can’t be used again afterwards. To retry ' +
      'safely, send an `Idempotency-Key`: the same request returns the same answer for 10 minutes.',
    tokens: [],
    idempotent: true,
    body: Type.Object({ accessToken: AccessToken, participantName: Type.Optional(ParticipantName) }, closed),
    answer: Type.Object(
      {
        guestToken: Type.String(),
        expiresAt: Time('When the guest token expires'),
        guestId: Id('The guest'),
        participantName: Type.String(),
        ...Target,
      },
      { title: 'GuestAccess' },
    ),
    errors: ['not_found', 'name_required', 'link_used', 'link_expired', 'link_revoked'],
  }),
}
