import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RuleName } from '../../contract/errors.ts'
import type { Audited, Operation } from '../../contract/operation.ts'
import {
  type Answers,
  type Bodies,
  type OperationName,
  type Operations,
  operations,
  type Params,
  type Queries,
} from '../../contract/operations.ts'
import type { Scope } from '../../contract/scopes.ts'
import { genuine, readCredential } from '../identity/credentials.ts'
import type { Claims } from '../identity/tokens.ts'
import type { WhereRightsChanged } from '../live/live.ts'
import * as rules from '../rules.ts'
import {
  type RoomStanding,
  type Rule,
  type SpaceStanding,
  scopeRefusal,
  seesRoom,
  seesSpace,
  type UserCaller,
  type UserStanding,
} from '../rules.ts'
import { onCommit, transact } from '../store/db.ts'
import { lockStanding } from '../store/lock.ts'
import { findGuestStanding, findRoomStanding, findSpaceStanding, findUserStanding } from '../store/standing.ts'
import type { Db, Trx } from '../store/tables.ts'
import { type Audit, createAudit } from './audit.ts'
import type { Context } from './context.ts'
import { createIdempotency, type Repeatable } from './idempotency.ts'
import { notFound, Problem } from './problem.ts'

type Standing = UserStanding | SpaceStanding | RoomStanding

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. A route without it does not start. */
    rule?: Rule<never>
    /** Its errors are those of OAuth (RFC 6749 §5.2). */
    oauth?: boolean
    /** As little worth a line in the log as a GET. */
    changesNothing?: boolean
  }
  interface FastifyRequest {
    claims: Claims | null
    standing: Standing | null
    /** When that was found. */
    standingAt: number
  }
}

interface Handling<K extends OperationName, S> {
  /** What the gate has found: the only way to the space and the room. */
  at: S
  params: Params[K]
  query: Queries[K]
  body: Bodies[K]
  request: FastifyRequest
  reply: FastifyReply
  /**
   * The change, in one transaction with a second look at the caller's standing, so that what is forbidden by then does
   * not happen; and with the answer kept under the caller's `Idempotency-Key`, if there is one. `audit` records what
   * the operation declares; a change that has changed nothing records nothing.
   */
  commit: <T>(work: Work<K, S, T>) => Promise<T>
}

type Work<K extends OperationName, S, T> = (trx: Trx, at: S, audit: Audit<Audited<Operations[K]>>) => Promise<T>

interface ServeOptions<K extends OperationName, S> {
  /**
   * What the change takes for itself, so that nothing is done meanwhile on a standing that it ends: accounts and their
   * sessions, or who may do what in a space. Rights that end in the space, or in the room alone, end in calls going
   * on, too.
   */
  changes?: 'accounts' | 'space' | 'room'
  /** The change adds rows and depends on none that others add: they may share a transaction. */
  onlyAdds?: (body: Bodies[K]) => boolean
  /** Takes forms as well as JSON, and answers errors as OAuth does. */
  oauth?: boolean
  /** In spite of its method: it is logged as reads are. */
  changesNothing?: boolean
  /** Whose `Idempotency-Key` it is, where no token says so, and how long the answer is kept. */
  kept?: { person: (params: Params[K], body: Bodies[K]) => string; seconds?: number }
  /** Throws 404 for what the path names beyond space and room, before the body's content is looked at. */
  find?: (params: Params[K], at: S) => Promise<unknown>
}

export type Serve = <K extends OperationName, S>(
  name: K,
  rule: Rule<S>,
  handle: (handling: Handling<K, S>) => Promise<Answers[K]> | Answers[K],
  options?: ServeOptions<K, S>,
) => void

/** A standing is looked at again if the body took longer: held back, it would be a way to act on one that has ended. */
const STANDING_MS = 1000

interface Refs {
  spaceId?: string
  roomId?: string
}

/** A request once it is through the gate. */
type Passed<K extends OperationName, S> = FastifyRequest & {
  params: Params[K] & Refs
  query: Queries[K]
  body: Bodies[K]
  standing: S
}

/** Every request goes these steps, in this order: identify, limit, findStanding, see, may, validate, run, commit. */
export const createServe = (app: FastifyInstance, context: Context): Serve => {
  const { db, limits, live, mint, now, personalTokens, publicOrigin } = context
  const idempotency = createIdempotency(context)

  return <K extends OperationName, S>(
    name: K,
    rule: Rule<S>,
    handle: (handling: Handling<K, S>) => Promise<Answers[K]> | Answers[K],
    { changes, onlyAdds, oauth, changesNothing, find, kept }: ServeOptions<K, S> = {},
  ) => {
    const operation: Operation = operations[name]
    const { scope } = rule
    const isGuarded = scope !== 'anyone'
    if (isGuarded !== (operation.tokens.length > 0 && !operation.tokenOptional))
      throw new Error(`${name}: its rule and the tokens it accepts do not fit together`)
    if (operation.tokens.includes('user') && operation.scope === undefined)
      throw new Error(`${name}: it does not say what a personal access token needs for it`)

    /** Fastify knows no types of what the path, the schemas and the steps below have made of a request: said here once. */
    const passed = (request: FastifyRequest) => request as Passed<K, S>

    /**
     * Gives what is wrong with the token, which is told only once the attempt has been counted; or a personal access
     * token that was not seen before, which is looked for only then, too.
     */
    const identify = (request: FastifyRequest): { problem?: unknown; unknown?: string } => {
      if (!isGuarded) return {}
      try {
        const credential = readCredential(request, mint, publicOrigin())
        if (!credential) return { problem: tokenRequired() }
        const isPersonal = 'personalToken' in credential
        request.claims = isPersonal ? personalTokens.recall(credential.personalToken) : credential
        return isPersonal && !request.claims ? { unknown: credential.personalToken } : {}
      } catch (problem) {
        return { problem }
      }
    }

    /** By the token; by the address, where there is none that is right. */
    const limit = ({ claims, ip }: FastifyRequest, reply: FastifyReply) =>
      claims ? limits.request('token', claims.id, reply) : limits.request('address', ip, reply)

    /** 401 unless the session or guest behind the token still stands. */
    const findStanding = async (on: Db, claims: Claims, { spaceId = '', roomId = '' }: Refs): Promise<Standing> => {
      const standing = await (claims.kind === 'guest'
        ? findGuestStanding(on, claims.id, now())
        : scope === 'room'
          ? findRoomStanding(on, claims.id, spaceId, roomId, now())
          : scope === 'space'
            ? findSpaceStanding(on, claims.id, spaceId, now())
            : findUserStanding(on, claims.id, now()))
      if (!standing) throw new Problem('token_invalid', 'The session has ended. Sign in again.')
      return standing
    }

    /** 404 for what the caller cannot see; a guest sees the room of the link alone. Past it there is what the rule asks about. */
    function see(standing: Standing | null, { spaceId, roomId }: Refs): asserts standing is Standing & S {
      if (!standing) throw tokenRequired()
      if (standing.caller.kind === 'guest') {
        const isThere =
          'room' in standing &&
          spaceId === standing.space.id &&
          (roomId === standing.room.id || roomId === standing.room.alias)
        if (!operation.tokens.includes('guest') || !isThere)
          throw new Problem('user_token_required', 'A guest token is valid only for the room of its link.')
      } else {
        if (scope === 'space' && !('space' in standing && seesSpace(standing))) throw notFound('space')
        if (scope === 'room' && !('room' in standing && seesRoom(standing))) throw notFound('room')
      }
    }

    /** 403: kind of token, then the rule. */
    const may = (standing: Standing & S) => {
      if (operation.tokens.includes('user') && !operation.tokens.includes(standing.caller.kind))
        throw new Problem(
          'user_token_required',
          'This operation requires a user token. API client tokens are not accepted.',
        )
      if (standing.caller.kind !== 'guest') refuseBeyondScope(standing.caller, operation)
      // What is a guest's alone is refused to others by its rule.
      const refusal = rule.refusal(standing)
      if (refusal === 'not_allowed') throw new Problem(refusal, rule.says, { rule: nameOf(rule) })
      if (refusal) throw new Problem(refusal)
    }

    /** 400, by Fastify with these and validation.ts. */
    const validate = {
      ...(operation.query && { querystring: operation.query }),
      ...(operation.body && { body: operation.body }),
      response: { 200: operation.answer },
    }

    const run = (request: FastifyRequest, reply: FastifyReply, repeatable: Repeatable | null) => {
      const { standing: at, params, query, body } = passed(request)
      return handle({ at, params, query, body, request, reply, commit: work => commit(request, repeatable, work) })
    }

    const runOnce = async (request: FastifyRequest, reply: FastifyReply) => {
      const { params, body } = passed(request)
      const repeatable = idempotency.read(request, kept?.person(params, body), kept?.seconds)
      const earlier = await repeatable?.earlier()
      return earlier ? earlier.answer : run(request, reply, repeatable)
    }

    const commit = <T>(request: FastifyRequest, repeatable: Repeatable | null, work: Work<K, S, T>): Promise<T> => {
      const { claims, params, body, standing } = passed(request)
      const change = async (trx: Trx) => {
        const at = claims ? await lookAgain(trx, claims, params) : standing
        const audit = createAudit<Audited<Operations[K]>>(trx, request, at as Standing | null, now())
        return repeatable ? repeatable.once(trx, () => work(trx, at, audit)) : work(trx, at, audit)
      }
      return repeatable
        ? repeatable.alone(() => transact(db, change))
        : transact(db, change, { onlyAdds: onlyAdds?.(body) })
    }

    /** Nobody waits for it, and nothing depends on it. */
    const noteUse = ({ log }: FastifyRequest, tokenId: string) => {
      personalTokens.used(tokenId)?.catch(error => log.warn({ err: error }, 'a use of a token was not recorded'))
    }

    /** With what the change relies on held still until it is committed. */
    const lookAgain = async (trx: Trx, claims: Claims, refs: Refs): Promise<S> => {
      await lockStanding(
        trx,
        {
          sessionId: claims.kind === 'guest' ? undefined : claims.id,
          spaceId: scope === 'user' ? undefined : refs.spaceId,
        },
        changes !== undefined,
      )
      const standing = await findStanding(trx, claims, refs)
      see(standing, refs)
      may(standing)
      const changed = whereRightsChanged(changes, standing)
      if (changed) onCommit(trx, () => live.rightsChanged(changed))
      return standing
    }

    app.route({
      method: operation.method,
      url: operation.path,
      config: { rule, oauth, changesNothing },
      onRequest: async (request, reply) => {
        const { problem, unknown } = identify(request)
        const counted = limit(request, reply)
        // Nothing is counted where limits are off, and no request waits for nothing.
        if (counted) await counted
        if (problem) throw problem
        if (unknown) request.claims = genuine(await personalTokens.find(unknown))
        if (!request.claims) return
        request.standing = await findStanding(db, request.claims, passed(request).params)
        request.standingAt = now()
        if (isPersonal(request.standing)) noteUse(request, request.claims.id)
      },
      preValidation: async request => {
        const { claims, standingAt } = request
        const { params } = passed(request)
        if (claims && now() - standingAt >= STANDING_MS) request.standing = await findStanding(db, claims, params)
        if (isGuarded) {
          const { standing } = request
          see(standing, params)
          may(standing)
        }
        // Nothing sent is the same as an empty object: what is required is then named as missing.
        if (operation.body && request.body === undefined) request.body = {}
        if (find) await find(params, passed(request).standing)
      },
      schema: validate,
      handler: operation.idempotent ? runOnce : (request, reply) => run(request, reply, null),
    })
  }
}

const tokenRequired = () =>
  new Problem(
    'token_required',
    'Send the header Authorization: Bearer <ACCESS_TOKEN>. Get a token from /v1/auth/token.',
  )

const isPersonal = ({ caller }: Standing) => caller.kind !== 'guest' && caller.scopes !== null

/** 403 for a personal access token that is not meant for the operation. */
export const refuseBeyondScope = (caller: UserCaller, { scope }: Operation) => {
  const refusal = scopeRefusal(caller, scope)
  if (refusal === 'session_required')
    throw new Problem(refusal, 'Personal access tokens can’t be used for this. Sign in at /v1/auth/token.')
  if (refusal === 'scope_required')
    throw new Problem(refusal, `The personal access token lacks the scope ${scope}.`, { scope: scope as Scope })
}

/** A rule is known to callers by the name it is exported under. */
const nameOf = (rule: object) => Object.entries(rules).find(([, exported]) => exported === rule)?.[0] as RuleName

const whereRightsChanged = (
  changes: ServeOptions<OperationName, unknown>['changes'],
  at: Standing,
): WhereRightsChanged | null => {
  if (changes === 'space' && 'space' in at) return { spaceId: at.space.id }
  if (changes === 'room' && 'room' in at) return { roomId: at.room.id }
  return null
}
