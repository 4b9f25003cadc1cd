import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RuleName } from '../../contract/errors.ts'
import type { Answer, Body, Operation, PathParams, Query } from '../../contract/operation.ts'
import { type OperationName, type Operations, operations } from '../../contract/operations.ts'
import { readClaims } from '../identity/credentials.ts'
import type { Claims } from '../identity/tokens.ts'
import type { WhereRightsChanged } from '../live/rights.ts'
import * as rules from '../rules.ts'
import { type RoomStanding, type Rule, type SpaceStanding, seesRoom, seesSpace, type UserStanding } from '../rules.ts'
import { onCommit, transact } from '../store/db.ts'
import { lockStanding } from '../store/lock.ts'
import { findGuestStanding, findRoomStanding, findSpaceStanding, findUserStanding } from '../store/standing.ts'
import type { Db, Trx } from '../store/tables.ts'
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

export interface Handling<O extends Operation, S> {
  /** What the gate has found: the only way to the space and the room. */
  at: S
  params: PathParams<O['path']>
  query: Query<O>
  body: Body<O>
  request: FastifyRequest
  reply: FastifyReply
  /**
   * The change, in one transaction with a second look at the caller's standing, so that what is forbidden by then does
   * not happen; and with the answer kept under the caller's `Idempotency-Key`, if there is one.
   */
  commit: <T>(work: (trx: Trx, at: S) => Promise<T>) => Promise<T>
}

export interface ServeOptions {
  /**
   * What the change takes for itself, so that nothing is done meanwhile on a standing that it ends: accounts and their
   * sessions, or who may do what in a space. Rights that end in the space, or in the room alone, end in calls going
   * on, too.
   */
  changes?: 'accounts' | 'space' | 'room'
  /** Takes forms as well as JSON, and answers errors as OAuth does. */
  oauth?: boolean
  /** In spite of its method: it is logged as reads are. */
  changesNothing?: boolean
}

export type Serve = <K extends OperationName, S>(
  name: K,
  rule: Rule<S>,
  handle: (handling: Handling<Operations[K], S>) => Promise<Answer<Operations[K]>>,
  options?: ServeOptions & {
    /** Whose `Idempotency-Key` it is, where no token says so, and how long the answer is kept. */
    kept?: {
      person: (params: PathParams<Operations[K]['path']>, body: Body<Operations[K]>) => string
      seconds?: number
    }
    /** Throws 404 for what the path names beyond space and room, before the body's content is looked at. */
    find?: (params: PathParams<Operations[K]['path']>, at: S) => Promise<unknown>
  },
) => void

/** A standing is looked at again if the body took longer: held back, it would be a way to act on one that has ended. */
const STANDING_MS = 1000

interface Refs {
  spaceId?: string
  roomId?: string
}

export const createServe = (app: FastifyInstance, context: Context): Serve => {
  const { db, limits, live, mint, now, publicOrigin } = context
  const idempotency = createIdempotency(context)

  const identify = async (
    request: FastifyRequest,
    reply: FastifyReply,
    needed: boolean,
    scope: Rule<never>['scope'],
  ) => {
    let failure: unknown
    if (needed) {
      try {
        request.claims = readClaims(request, mint, publicOrigin())
      } catch (error) {
        failure = error
      }
    }
    const { claims } = request
    const counted = claims ? limits.request('token', claims.id, reply) : limits.request('address', request.ip, reply)
    if (counted) await counted
    if (failure) throw failure
    if (!needed) return
    if (!claims)
      throw new Problem(
        'token_required',
        'Send the header Authorization: Bearer <ACCESS_TOKEN>. Get a token from /v1/auth/token.',
      )
    request.standing = await findStanding(db, claims, scope, request.params as Refs)
    request.standingAt = now()
  }

  /** Once the body is there. */
  const identifyAgain = (request: FastifyRequest, scope: Rule<never>['scope'], done: (error?: Error) => void) => {
    const { claims, standingAt } = request
    if (!claims || now() - standingAt < STANDING_MS) return done()
    findStanding(db, claims, scope, request.params as Refs).then(standing => {
      request.standing = standing
      done()
    }, done)
  }

  /** 401 unless the session or guest behind the token still stands. */
  const findStanding = async (on: Db, claims: Claims, scope: Rule<never>['scope'], refs: Refs): Promise<Standing> => {
    const standing = await (claims.kind === 'guest'
      ? findGuestStanding(on, claims.id, now())
      : scope === 'room'
        ? findRoomStanding(on, claims.id, refs.spaceId ?? '', refs.roomId ?? '', now())
        : scope === 'space'
          ? findSpaceStanding(on, claims.id, refs.spaceId ?? '', now())
          : findUserStanding(on, claims.id, now()))
    if (!standing) throw new Problem('token_invalid', 'The session has ended. Sign in again.')
    return standing as Standing
  }

  /** 404 for what the caller cannot see, then 403: kind of token, then the rule. */
  const pass = <S>(operation: Operation, rule: Rule<S>, standing: Standing, refs: Refs): S => {
    const { kind } = standing.caller
    if (kind === 'guest') {
      const { space, room } = standing as RoomStanding
      const itsRoom = refs.spaceId === space.id && (refs.roomId === room.id || refs.roomId === room.alias)
      if (!operation.tokens.includes('guest') || !itsRoom)
        throw new Problem('user_token_required', 'A guest token is valid only for the room of its link.')
    } else {
      if (rule.scope === 'space' && !('space' in standing && seesSpace(standing))) throw notFound('space')
      if (rule.scope === 'room' && !('room' in standing && seesRoom(standing))) throw notFound('room')
      if (!operation.tokens.includes(kind))
        throw new Problem(
          'user_token_required',
          'This operation requires a user token. API client tokens are not accepted.',
        )
    }
    const code = rule.refusal(standing as S)
    if (code === 'not_allowed') throw new Problem(code, rule.says, { rule: nameOf(rule) })
    if (code) throw new Problem(code)
    return standing as S
  }

  return (name, rule, handle, { changes, oauth = false, changesNothing = false, find, kept: keeping } = {}) => {
    const operation: Operation = operations[name]
    const guarded = rule.scope !== 'anyone'
    if (guarded !== (operation.tokens.length > 0 && !operation.tokenOptional))
      throw new Error(`${name}: its rule and the tokens it accepts do not fit together`)

    const run = (request: FastifyRequest, reply: FastifyReply, repeatable: Repeatable | null) =>
      handle({
        at: request.standing as never,
        params: request.params as never,
        query: request.query as never,
        body: request.body as never,
        request,
        reply,
        commit: work => commit(operation, rule, request, changes, repeatable, work as never) as never,
      })

    const runOnce = async (request: FastifyRequest, reply: FastifyReply) => {
      const person = keeping?.person(request.params as never, request.body as never)
      const repeatable = idempotency.read(request, person, keeping?.seconds)
      const earlier = await repeatable?.earlier()
      return earlier ? earlier.answer : run(request, reply, repeatable)
    }

    app.route({
      method: operation.method,
      url: operation.path,
      schema: {
        ...(operation.query && { querystring: operation.query }),
        ...(operation.body && { body: operation.body }),
        response: { 200: operation.answer },
      },
      config: { rule: rule as Rule<never>, oauth, changesNothing },
      onRequest: (request, reply) => identify(request, reply, guarded, rule.scope),
      preValidation: [
        (request, _reply, done) => identifyAgain(request, rule.scope, done),
        (request, _reply, done) => {
          if (guarded) pass(operation, rule, request.standing as Standing, request.params as Refs)
          // Nothing sent is the same as an empty object: what is required is then named as missing.
          if (operation.body && request.body === undefined) request.body = {}
          if (find) find(request.params as never, request.standing as never).then(() => done(), done)
          else done()
        },
      ],
      handler: operation.idempotent ? runOnce : (request, reply) => run(request, reply, null),
    })
  }

  async function commit<S>(
    operation: Operation,
    rule: Rule<S>,
    request: FastifyRequest,
    changes: ServeOptions['changes'],
    repeatable: Repeatable | null,
    work: (trx: Trx, at: S) => Promise<unknown>,
  ): Promise<unknown> {
    const refs = request.params as Refs
    const { claims, standing } = request
    const change = async (trx: Trx) => {
      let at = standing as S
      if (claims) {
        await lockStanding(
          trx,
          {
            sessionId: claims.kind === 'guest' ? undefined : claims.id,
            spaceId: rule.scope === 'user' ? undefined : refs.spaceId,
          },
          changes !== undefined,
        )
        at = pass(operation, rule, await findStanding(trx, claims, rule.scope, refs), refs)
      }
      const changed = whereRightsChanged(changes, at)
      if (changed) onCommit(trx, () => live.rightsChanged(changed))
      return repeatable ? repeatable.once(trx, () => work(trx, at)) : work(trx, at)
    }
    return repeatable ? repeatable.alone(() => transact(db, change)) : transact(db, change)
  }
}

/** A rule is known to callers by the name it is exported under. */
const nameOf = (rule: object) => Object.entries(rules).find(([, exported]) => exported === rule)?.[0] as RuleName

const whereRightsChanged = (changes: ServeOptions['changes'], at: unknown): WhereRightsChanged | null => {
  if (changes === 'space') return { spaceId: (at as SpaceStanding).space.id }
  if (changes === 'room') return { roomId: (at as RoomStanding).room.id }
  return null
}
