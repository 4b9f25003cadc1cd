import type { FastifyRequest } from 'fastify'
import type { AuditAction } from '../../contract/actions.ts'
import type { Caller } from '../rules.ts'
import { type Act, type Actor, recordAct } from '../store/audit.ts'
import type { Trx } from '../store/tables.ts'

/** What a handler says of its change; who made it, from where and in which space is known already. */
export type Audit<A extends AuditAction> = (act: Act<A> & { by?: NewUser }) => Promise<void>

/** A caller without a token who has just become a user. */
interface NewUser {
  id: string
  name: string
}

/** Writes into the transaction of the change, so that neither is ever there without the other. */
export const createAudit =
  <A extends AuditAction>(
    trx: Trx,
    { ip }: FastifyRequest,
    at: { caller?: Caller; space?: { id: string } } | null,
    now: number,
  ): Audit<A> =>
  ({ by, ...act }) =>
    recordAct(trx, { ...actorOf(at?.caller, by), address: ip }, { spaceId: at?.space?.id ?? null, ...act }, now)

const actorOf = (caller: Caller | undefined, by: NewUser | undefined): Omit<Actor, 'address'> => {
  if (by) return { kind: 'user', ...by, tokenId: null, tokenName: null }
  if (!caller) throw new Error('what is done without a token must say by whom')
  const { kind, name } = caller
  return caller.kind === 'guest'
    ? { kind, id: caller.guestId, name, tokenId: caller.guestId, tokenName: null }
    : { kind, id: caller.userId, name, tokenId: caller.sessionId, tokenName: caller.tokenName }
}
