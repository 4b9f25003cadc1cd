import type { ErrorCode } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { operations } from '../../contract/operations.ts'
import { refusalsOf } from '../../contract/refusals.ts'

const known = (Object.entries(operations) as [string, Operation][])
  .map(([name, operation]) => ({
    name,
    method: operation.method,
    expression: new RegExp(`^${operation.path.replace(/:\w+/g, '([^/]+)')}$`),
    codes: new Set<ErrorCode>(refusalsOf(operation)),
  }))
  // What names a thing goes before what takes any.
  .sort((a, b) => a.expression.source.split('(').length - b.expression.source.split('(').length)

/** As `fetch`, but refuses an answer whose error code is not among those that the description has for the operation. */
export const describedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json')
  if (!isProblem || response.status >= 500) return response
  const { code } = (await response.clone().json()) as { code: ErrorCode }
  const { pathname } = new URL(response.url)
  const method = init?.method ?? 'GET'
  const operation = known.find(each => each.method === method && each.expression.test(pathname))
  if (operation && !operation.codes.has(code))
    throw new Error(`${operation.name} answers ${code}, which it does not declare (contract/, errors)`)
  return response
}
