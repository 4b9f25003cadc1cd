import Type, { type Static } from 'typebox'
import { type AuditAction, type AuditTarget, auditActions, auditTargets } from './actions.ts'
import { closed, Id, Nullable, Page, Paging, Time } from './common.ts'
import { operation } from './operation.ts'

export const AUDIT_FILE_TYPE = 'text/csv; charset=utf-8'

const Action = (description: string) =>
  Type.Unsafe<AuditAction>(Type.String({ enum: [...auditActions], description, examples: ['room.created'] }))

const ActorKind = Type.Unsafe<'user' | 'client' | 'guest' | 'command'>(
  Type.String({
    enum: ['user', 'client', 'guest', 'command'],
    description: 'By which kind of token; command: on the server, by the command line',
  }),
)
export type ActorKind = Static<typeof ActorKind>

/** What changed, by field. Never a secret, and nothing that was written in a chat. */
const Details = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
  description: 'What changed. It never contains secrets',
})
export type AuditDetails = Static<typeof Details>

const AuditEntry = Type.Object(
  {
    id: Id('Entry'),
    at: Time('When it was done'),
    action: Action('What was done'),
    actor: Type.Object({
      kind: ActorKind,
      id: Nullable(Type.String({ description: 'User or guest; null for a command' })),
      name: Type.String({ description: 'Their name at that time; for a command, the user of the operating system' }),
    }),
    address: Nullable(Type.String({ description: 'IP address; null for a command' })),
    tokenId: Nullable(Type.String({ description: 'Session or guest that the token was issued for' })),
    spaceId: Nullable(Id('Space, if it was done in one. It may have been deleted since')),
    target: Type.Object({
      type: Type.Unsafe<AuditTarget>(Type.String({ enum: [...auditTargets] })),
      id: Type.String(),
      name: Nullable(Type.String({ description: 'Its name at that time, if it has one' })),
    }),
    details: Details,
  },
  { title: 'Audit entry' },
)
export type AuditEntry = Static<typeof AuditEntry>

const AuditQuery = Type.Object(
  {
    ...Paging,
    action: Type.Optional(Action('Only this action')),
    actorId: Type.Optional(Id('Only what this user or guest did')),
    from: Type.Optional(Time('Only what was done at that time or later')),
    to: Type.Optional(Time('Only what was done before')),
    format: Type.Optional(
      Type.Unsafe<'json' | 'csv'>(
        Type.String({
          enum: ['json', 'csv'],
          description: 'Default json. csv is a file with all entries that match: `limit` and `cursor` don’t apply',
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
    tag: 'Audit log',
    summary: 'List who did what in a space',
    description: 'For the space owner. Newest first.',
  }),
  listAudit: operation({
    ...list,
    path: '/v1/operator/audit',
    tag: 'Operator',
    summary: 'List who did what',
    description: 'In all spaces, also deleted ones, and with accounts. Newest first.',
  }),
}
