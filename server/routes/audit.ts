import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { AUDIT_FILE_TYPE, type AuditEntry, type AuditQuery } from '../../contract/audit.ts'
import { csvHead, csvRow } from '../csv.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { maySeeAudit, operatorOnly } from '../rules.ts'
import { type AuditFilter, listActs } from '../store/audit.ts'
import { mapPage } from '../store/page.ts'
import type { Db, Row } from '../store/tables.ts'
import { isoTime } from '../times.ts'

const toEntry = (act: Row<'audit'>): AuditEntry => ({
  id: act.id,
  at: isoTime(act.at),
  action: act.action,
  actor: { kind: act.actorKind, id: act.actorId, name: act.actorName },
  address: act.address,
  tokenId: act.tokenId,
  tokenName: act.tokenName,
  spaceId: act.spaceId,
  target: { type: act.targetType, id: act.targetId, name: act.targetName },
  details: JSON.parse(act.details),
})

const header = [
  ...['Time', 'Action', 'Actor', 'Actor kind', 'Actor id', 'Address', 'Token id', 'Token name'],
  ...['Space id', 'Target type', 'Target id', 'Target name', 'Details'],
]

const toCsv = (act: Row<'audit'>) =>
  csvRow([
    ...[isoTime(act.at), act.action, act.actorName, act.actorKind, act.actorId ?? '', act.address ?? ''],
    ...[act.tokenId ?? '', act.tokenName ?? '', act.spaceId ?? ''],
    ...[act.targetType, act.targetId, act.targetName ?? '', act.details],
  ])

const ROWS_AT_ONCE = 500

/** As fast as it is read, and no more of it in memory. */
async function* csvOf(db: Db, filter: AuditFilter) {
  yield csvHead(header)
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await listActs(db, filter, { limit: ROWS_AT_ONCE, ...(cursor && { cursor }) })
    yield items.map(toCsv).join('')
    if (nextCursor === null) return
    cursor = nextCursor
  }
}

const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text))

export const auditRoutes = (serve: Serve, { db, now }: Context) => {
  const list = async (spaceId: string | undefined, query: AuditQuery, reply: FastifyReply) => {
    const { action, actorId, from, to, format, ...paging } = query
    const filter = { spaceId, action, actorId, from: timeOf(from), to: timeOf(to) }
    if (format !== 'csv') return mapPage(await listActs(db, filter, paging), toEntry)
    const name = `audit-${isoTime(now()).slice(0, 10)}.csv`
    reply.type(AUDIT_FILE_TYPE).header('content-disposition', `attachment; filename="${name}"`)
    // A file goes out as it is, past the schema.
    return reply.send(Readable.from(csvOf(db, filter))) as never
  }

  serve('listSpaceAudit', maySeeAudit, ({ at, query, reply }) => list(at.space.id, query, reply))
  serve('listAudit', operatorOnly, ({ query, reply }) => list(undefined, query, reply))
}
