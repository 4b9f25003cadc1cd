import Type, { type Static } from 'typebox'
import { auditActions, auditTargets } from './actions.ts'
import { closed, Id, Nullable, OneOf, OpenEnum, Page, Paging, Time } from './common.ts'
import { operation } from './operation.ts'

export const AUDIT_FILE_TYPE = 'text/csv; charset=utf-8'

const ActorKind = OpenEnum(['user', 'client', 'guest', 'command'], {
  description: 'user, client or guest: the kind of token used. command: a command run on the server',
})
export type ActorKind = Static<typeof ActorKind>

/** What changed, by field. Never a secret, and nothing that was written in a chat. */
const Details = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
  description: 'What changed, by field. Never contains secrets',
})
export type AuditDetails = Static<typeof Details>

const AuditEntry = Type.Object(
  {
    id: Id('Entry'),
    at: Time('When it was done'),
    action: OpenEnum(auditActions, { description: 'What was done', examples: ['room.created'] }),
    actor: Type.Object({
      kind: ActorKind,
      id: Nullable(Type.String({ description: 'User or guest. null: a command' })),
      name: Type.String({ description: 'Name at that time. For a command, the operating system user' }),
    }),
    address: Nullable(Type.String({ description: 'IP address. null: a command' })),
    tokenId: Nullable(
      Type.String({ description: 'Personal access token, or session or guest the token was issued for' }),
    ),
    tokenName: Nullable(Type.String({ description: 'Name of the personal access token it was done with, if any' })),
    spaceId: Nullable(Id('Space it was done in, if any. It may have been deleted since')),
    target: Type.Object({
      type: OpenEnum(auditTargets, { description: 'What it was done to' }),
      id: Type.String(),
      name: Nullable(Type.String({ description: 'Its name at that time, if it has one' })),
    }),
    details: Details,
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

const AuditQuery = Type.Object(
  {
    ...Paging,
    action: Type.Optional(OneOf(auditActions, { description: 'Return only this action' })),
    actorId: Type.Optional(Id('Return only actions of this user or guest')),
    from: Type.Optional(Time('Return only entries from this time on')),
    to: Type.Optional(Time('Return only entries before this time')),
    format: Type.Optional(
      Type.Unsafe<'json' | 'csv'>(
        Type.String({
          enum: ['json', 'csv'],
          default: 'json',
          description: 'csv: a file with all matching entries; `limit` and `cursor` are ignored',
        }),
      ),
    ),
  },
  closed,
)
export type AuditQuery = Static<typeof AuditQuery>

const list = {
  method: 'GET',
  tokens: ['user', 'client'],
  query: AuditQuery,
  answer: Page(AuditEntry),
  files: [AUDIT_FILE_TYPE],
} as const

export const audit = {
  listSpaceAudit: operation({
    ...list,
    path: '/v1/spaces/:spaceId/audit',
    scope: 'spaces:read',
    tag: 'Audit log',
    summary: 'List the audit log of a space',
    description: 'Who did what in the space. Requires the space owner. Newest first.',
  }),
  listAudit: operation({
    ...list,
    path: '/v1/operator/audit',
    scope: null,
    tag: 'Operator',
    summary: 'List the audit log',
    description: 'Who did what in all spaces, including deleted ones, and with accounts. Newest first.',
  }),
}
