import type { ErrorCode, FieldError, Problem, RuleName } from './types.ts'

type OAuthError =
  | 'invalid_grant'
  | 'invalid_client'
  | 'invalid_request'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'

/** Any response that is not a success. */
export class LecternError extends Error {
  override name = 'LecternError'
  readonly status: number
  readonly code: ErrorCode | OAuthError | 'unknown'
  /** The rule that refused, if the code is `not_allowed`. */
  readonly rule: RuleName | null
  /** The scope that the token lacks, if the code is `scope_required`. */
  readonly scope: NonNullable<Problem['scope']> | null
  /** Errors of the request by field. */
  readonly errors: FieldError[]
  /** Seconds to wait before retrying, if the service said so. */
  readonly retryAfter: number | null

  constructor(response: Response, body: unknown) {
    const { detail, code, rule, scope, errors, error, error_description } = (body ?? {}) as Partial<Problem> & {
      error?: OAuthError
      error_description?: string
    }
    super(detail ?? error_description ?? `${response.status} ${response.statusText}`)
    this.status = response.status
    this.code = code ?? error ?? 'unknown'
    this.rule = rule ?? null
    this.scope = scope ?? null
    this.errors = errors ?? []
    this.retryAfter = Number(response.headers.get('retry-after')) || null
  }
}
