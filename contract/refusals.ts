import type { ErrorCode } from './errors.ts'
import type { Operation } from './operation.ts'

/** Of those who may not join the room, or not yet. */
export const joinErrors = [
  'invite_required',
  'role_required',
  'removed',
  'room_locked',
  'not_admitted',
  'denied',
] as const satisfies ErrorCode[]

/**
 * The 4xx codes an operation can return: what any of its kind can, and its own (`errors`). The tests check each answer
 * they get against them.
 */
export const refusalsOf = ({ method, path, tag, tokens, scope, tokenOptional, idempotent, errors = [] }: Operation) => {
  const isGuarded = tokens.length > 0 && !tokenOptional
  const isChange = method !== 'GET'
  const codes = new Set<ErrorCode>(['invalid_request', ...errors, 'rate_limited'])
  const also = (applies: boolean, ...more: ErrorCode[]) => {
    if (applies) for (const code of more) codes.add(code)
  }
  also(isChange, 'malformed_body', 'body_too_large', 'unsupported_media_type')
  also(tokens.length > 0, 'token_invalid')
  also(isGuarded, 'token_required', 'user_token_required')
  also(tokens.includes('user') && scope !== 'any', scope ? 'scope_required' : 'session_required')
  also(isGuarded && isChange, 'cross_site_request')
  also(isGuarded && (path.includes('/:spaceId') || tag === 'Operator'), 'not_allowed')
  also(isGuarded && path.includes('/:roomId'), 'removed')
  also(path.includes('/:'), 'not_found')
  also(idempotent === true, 'idempotency_in_progress', 'idempotency_mismatch')
  return [...codes]
}
