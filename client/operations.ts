import type { Operation } from '../contract/operation.ts'
import { operations as declared, type OperationName } from '../contract/operations.ts'

/** Of an operation what a request needs: where it is, and what it takes. */
export interface Target {
  method: Operation['method']
  path: string
  needsToken: boolean
  hasQuery: boolean
  hasBody: boolean
  /** The body is a file. */
  takesFile: boolean
  /** It answers page by page. */
  isPaged: boolean
  /** Content types it can answer instead of JSON. */
  files: readonly string[]
}

const targetOf = ({ method, path, tokens, query, body, upload, files = [] }: Operation): Target => ({
  method,
  path,
  needsToken: tokens.length > 0,
  hasQuery: query !== undefined,
  hasBody: body !== undefined,
  takesFile: upload !== undefined,
  isPaged: query !== undefined && 'cursor' in query.properties,
  files,
})

/** The schemas stay behind: what is built, the pages and the package, has this as data. */
export const operations = Object.fromEntries(
  Object.entries(declared).map(([name, operation]) => [name, targetOf(operation)]),
) as Record<OperationName, Target>
