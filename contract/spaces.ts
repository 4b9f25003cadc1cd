import Type, { type Static } from 'typebox'
import {
  closed,
  Empty,
  ExternalId,
  ExternalIdFilter,
  HttpUrl,
  Id,
  Line,
  NewMetadata,
  Nullable,
  OneOf,
  Page,
  PageQuery,
  Paging,
  References,
  Text,
  Time,
  WithDefault,
} from './common.ts'
import { operation } from './operation.ts'

export const spaceRoles = ['role_space_owner', 'role_space_moderator', 'role_space_user'] as const
export const SpaceRole = OneOf(spaceRoles)
export type SpaceRole = Static<typeof SpaceRole>

export const Plan = Type.Unsafe<'free' | 'team' | 'business'>(
  Type.String({ enum: ['free', 'team', 'business'], examples: ['team'] }),
)
export type Plan = Static<typeof Plan>

export const logoTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'] as const
export type LogoType = (typeof logoTypes)[number]

const fields = {
  name: Line(200, { description: 'Space name', examples: ['Evening school'] }),
  description: Text(4000, { description: 'Description', examples: ['Languages and mathematics'] }),
  logo: HttpUrl('URL of a logo image. To upload one, use `setSpaceLogo`', 'https://example.com/logo.png'),
  isPublic: Type.Boolean({
    description: 'true: any user can see it and join its public rooms. false: by invite only',
    examples: [false],
  }),
}

const externalId = ExternalId('among the spaces of its owner')

export const NewSpace = Type.Object(
  {
    name: fields.name,
    description: Type.Optional(fields.description),
    logo: Type.Optional(fields.logo),
    isPublic: WithDefault(fields.isPublic, false),
    externalId: Type.Optional(externalId),
    metadata: Type.Optional(NewMetadata),
  },
  { ...closed, title: 'NewSpace' },
)
export type NewSpace = Static<typeof NewSpace>

export const SpacePatch = Type.Object(
  {
    name: Type.Optional(fields.name),
    description: Type.Optional(Nullable(fields.description)),
    logo: Type.Optional(Nullable(fields.logo)),
    isPublic: Type.Optional(fields.isPublic),
    externalId: Type.Optional(Nullable(externalId)),
    metadata: Type.Optional(NewMetadata),
  },
  { ...closed, title: 'SpacePatch' },
)
export type SpacePatch = Static<typeof SpacePatch>

export const Space = Type.Object(
  {
    id: Id('Space'),
    name: Type.String(),
    description: Nullable(Type.String()),
    logo: Nullable(Type.String({ description: 'URL of the logo, also of an uploaded one' })),
    isPublic: Type.Boolean(),
    role: Nullable(SpaceRole),
    plan: Plan,
    planActiveUntil: Nullable(Time('When the plan ends; null if it does not')),
    createdAt: Time('When it was created'),
    updatedAt: Time('When it was last changed'),
    ...References,
  },
  { title: 'Space' },
)
export type Space = Static<typeof Space>

export const spaces = {
  createSpaces: operation({
    method: 'POST',
    path: '/v1/spaces',
    tag: 'Spaces',
    summary: 'Create a space',
    description: 'The caller becomes the owner.',
    tokens: ['user'],
    scope: 'spaces:write',
    idempotent: true,
    body: NewSpace,
    answer: Type.Object({ id: Id('The new space') }),
    errors: ['external_id_taken'],
    audit: ['space.created'],
  }),
  listSpaces: operation({
    method: 'GET',
    path: '/v1/spaces',
    tag: 'Spaces',
    summary: 'List the spaces you own or joined',
    tokens: ['user', 'client'],
    scope: 'spaces:read',
    query: Type.Object({ ...ExternalIdFilter, ...Paging }, closed),
    answer: Page(Space),
  }),
  getSpace: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId',
    tag: 'Spaces',
    summary: 'Retrieve a space',
    tokens: ['user', 'client'],
    scope: 'spaces:read',
    answer: Space,
  }),
  updateSpace: operation({
    method: 'PATCH',
    path: '/v1/spaces/:spaceId',
    tag: 'Spaces',
    summary: 'Update a space',
    tokens: ['user'],
    scope: 'spaces:write',
    body: SpacePatch,
    answer: Space,
    errors: ['external_id_taken'],
    audit: ['space.updated'],
  }),
  setSpaceLogo: operation({
    method: 'PUT',
    path: '/v1/spaces/:spaceId/logo',
    tag: 'Spaces',
    summary: 'Upload a logo',
    description:
      'The body is the image: PNG, JPEG, WebP or SVG, at most 512 kB. Of an SVG only the image is kept: no scripts, ' +
      'animation or references to other files. `logo` of the space is then its URL, which changes with the image. To remove ' +
      'it, update the space with `logo: null`.',
    tokens: ['user'],
    scope: 'spaces:write',
    upload: logoTypes,
    answer: Space,
    errors: ['image_invalid'],
    audit: ['space.updated'],
  }),
  deleteSpace: operation({
    method: 'DELETE',
    path: '/v1/spaces/:spaceId',
    tag: 'Spaces',
    summary: 'Delete a space',
    description: 'Deletes its rooms, members, invites and links too. This can’t be undone.',
    tokens: ['user'],
    scope: 'spaces:write',
    answer: Empty,
    audit: ['space.deleted'],
  }),
  setSpaceOwner: operation({
    method: 'PUT',
    path: '/v1/spaces/:spaceId/owner',
    tag: 'Spaces',
    summary: 'Transfer ownership',
    description: 'To another member of the space. The previous owner becomes a space moderator.',
    tokens: ['user'],
    scope: 'spaces:write',
    body: Type.Object({ userId: Id('New owner, a member of the space') }, closed),
    answer: Type.Object({ userId: Id('New owner') }),
    errors: ['external_id_taken', 'not_a_member'],
    audit: ['ownership.transferred'],
  }),
  setSpacePlan: operation({
    method: 'PUT',
    path: '/v1/spaces/:spaceId/plan',
    tag: 'Operator',
    summary: 'Set the plan of a space',
    tokens: ['user'],
    scope: null,
    body: Type.Object(
      { plan: Plan, activeUntil: Type.Optional(Nullable(Time('When the plan ends; null or absent for no end'))) },
      closed,
    ),
    answer: Type.Object({ plan: Plan, planActiveUntil: Nullable(Time('When the plan ends; null if it does not')) }),
    audit: ['plan.set'],
  }),
  listAllSpaces: operation({
    method: 'GET',
    path: '/v1/operator/spaces',
    tag: 'Operator',
    summary: 'List all spaces',
    tokens: ['user', 'client'],
    scope: null,
    query: PageQuery,
    answer: Page(
      Type.Object(
        {
          id: Id('Space'),
          name: Type.String(),
          owner: Type.Object({ id: Id('User'), username: Type.String() }),
          plan: Plan,
          planActiveUntil: Nullable(Time('When the plan ends; null if it does not')),
        },
        { title: 'SpaceWithOwner' },
      ),
    ),
  }),
}
