import { userInfo } from 'node:os'
import { sql } from 'kysely'
import type { AuditAction, AuditTarget } from '../../contract/actions.ts'
import type { ActorKind, AuditDetails } from '../../contract/audit.ts'
import type { PageQuery } from '../../contract/common.ts'
import { newId, oldestId } from '../ids.ts'
import { deleteSome } from './batches.ts'
import { page } from './page.ts'
import { preparedForNext } from './prepared.ts'
import type { Db, Row, Trx } from './tables.ts'

export interface Actor {
  kind: ActorKind
  id: string | null
  /** As it is now: the account may be renamed or deleted later. */
  name: string
  address: string | null
  /** Session or guest behind the token, or id of the personal access token; never the token. */
  tokenId: string | null
  tokenName: string | null
}

export interface Act<A extends AuditAction = AuditAction> {
  action: A
  target: { type: AuditTarget; id: string; name?: string | null }
  spaceId?: string | null
  details?: AuditDetails
}

const insertAct = preparedForNext<Row<'audit'>>((db, param) =>
  db.insertInto('audit').values({
    id: param('id'),
    at: param('at'),
    action: param('action'),
    actorKind: param('actorKind'),
    actorId: param('actorId'),
    actorName: param('actorName'),
    address: param('address'),
    tokenId: param('tokenId'),
    tokenName: param('tokenName'),
    spaceId: param('spaceId'),
    targetType: param('targetType'),
    targetId: param('targetId'),
    targetName: param('targetName'),
    details: param('details'),
  }),
)

/** In the transaction of the change itself. */
export const recordAct = async (trx: Trx, actor: Actor, { action, target, spaceId, details }: Act, now: number) => {
  await insertAct(trx, {
    id: newId(now),
    at: now,
    action,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    address: actor.address,
    tokenId: actor.tokenId,
    tokenName: actor.tokenName,
    spaceId: spaceId ?? null,
    targetType: target.type,
    targetId: target.id,
    targetName: target.name ?? null,
    details: details ? JSON.stringify(details) : '{}',
  })
}

/** The user of this machine who runs the program. */
export const commandActor = (): Actor => ({
  kind: 'command',
  id: null,
  name: systemUser(),
  address: null,
  tokenId: null,
  tokenName: null,
})

const systemUser = () => {
  try {
    return userInfo().username
  } catch {
    // An id without a name, as in containers.
    return `uid ${process.getuid?.()}`
  }
}

const MAX_VALUE_LENGTH = 200

/** The fields that are to be something else, with what they become; null: none is. */
export const changesOf = (before: object, change: object): AuditDetails | null => {
  const old = before as Record<string, unknown>
  const fields = Object.entries(change).filter(([field, value]) => value !== undefined && value !== old[field])
  if (fields.length === 0) return null
  return Object.fromEntries(
    fields.map(([field, value]) => [field, typeof value === 'string' ? value.slice(0, MAX_VALUE_LENGTH) : value]),
  )
}

export interface AuditFilter {
  spaceId?: string | undefined
  action?: AuditAction | undefined
  actorId?: string | undefined
  from?: number | undefined
  to?: number | undefined
}

/** Newest first. Ids grow with time, so that each filter has one index for what it asks and for the order. */
export const listActs = (db: Db, { spaceId, action, actorId, from, to }: AuditFilter, query: PageQuery) => {
  let acts = db.selectFrom('audit').selectAll()
  if (spaceId !== undefined) acts = acts.where('spaceId', '=', spaceId)
  if (action !== undefined) acts = acts.where('action', '=', action)
  if (actorId !== undefined) acts = acts.where('actorId', '=', actorId)
  if (from !== undefined) acts = acts.where('id', '>=', oldestId(from))
  if (to !== undefined) acts = acts.where('id', '<', oldestId(to))
  return page(acts, 'audit.id', 'desc', query, act => act.id)
}

export const forgetOldActs = (db: Db, before: number, batch?: number) =>
  deleteSome(db, 'audit', 'id', sql`"id" < ${oldestId(before)}`, batch)
