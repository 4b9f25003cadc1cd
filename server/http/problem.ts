import {
  type ErrorCode,
  errorCodes,
  type FieldCode,
  type FieldError,
  fieldCodes,
  type Problem as ProblemBody,
  type RuleName,
} from '../../contract/errors.ts'
import type { Scope } from '../../contract/scopes.ts'

interface More {
  errors?: FieldError[]
  headers?: Record<string, string>
}

/** What a caller is told. Thrown anywhere, turned into an answer in one place (app.ts). */
export class Problem extends Error {
  readonly code: ErrorCode
  readonly rule: RuleName | undefined
  readonly scope: Scope | undefined
  readonly errors: ProblemBody['errors']
  readonly headers: Record<string, string>

  constructor(code: 'not_allowed', detail: string, more: More & { rule: RuleName })
  constructor(code: 'scope_required', detail: string, more: More & { scope: Scope })
  constructor(code: Exclude<ErrorCode, 'not_allowed' | 'scope_required'>, detail?: string, more?: More)
  constructor(
    code: ErrorCode,
    detail: string = errorCodes[code][1],
    more: More & { rule?: RuleName; scope?: Scope } = {},
  ) {
    super(detail)
    this.code = code
    this.rule = more.rule
    this.scope = more.scope
    this.errors = more.errors
    this.headers = more.headers ?? {}
  }

  get status(): number {
    return errorCodes[this.code][0]
  }

  get body(): ProblemBody {
    const [status, title] = errorCodes[this.code]
    return {
      type: `urn:lectern:problem:${this.code}`,
      title,
      status,
      detail: this.message,
      code: this.code,
      ...(this.rule && { rule: this.rule }),
      ...(this.scope && { scope: this.scope }),
      ...(this.errors && { errors: this.errors }),
    }
  }
}

export const notFound = (what: string) => new Problem('not_found', `No such ${what}, or you don’t have access.`)

/** The result, or the problem that `problems` has for why there is none. Inside a transaction it rolls back with it. */
export const unlessRefused = <V extends object | string>(
  result: V,
  problems: Record<Extract<V, string>, () => Problem>,
): Exclude<V, string> => {
  if (typeof result === 'string') throw problems[result as Extract<V, string>]()
  return result as Exclude<V, string>
}

export const fieldError = (path: string, code: FieldCode, message: string = fieldCodes[code]): FieldError => ({
  path,
  code,
  params: {},
  message,
})

/** Bad content of a request, found after the schema had nothing to say against it. */
export const invalid = (path: string, code: FieldCode, message?: string) => {
  const error = fieldError(path, code, message)
  return new Problem('invalid_request', `${path.slice(1)} ${error.message}.`, { errors: [error] })
}
