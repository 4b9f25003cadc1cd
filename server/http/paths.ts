import { Problem } from './problem.ts'

/** The paths of all routes, to tell a path that is not there from a method that it does not have. */
export interface Paths {
  add: (pattern: string, method: string | string[]) => void
  /** Of a path of ours; empty: there is no such path. */
  methodsOf: (path: string) => string[]
}

const toExpression = (pattern: string) =>
  new RegExp(
    `^${pattern
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace('*', '.*')}$`,
  )

/** Of the patterns that fit, the one that leaves least open is meant. */
const opennessOf = (pattern: string) => pattern.split(/:\w+|\*/).length

export const createPaths = (): Paths => {
  const known = new Map<string, { expression: RegExp; methods: Set<string> }>()
  return {
    add(pattern, method) {
      const path = known.get(pattern) ?? { expression: toExpression(pattern), methods: new Set() }
      for (const each of [method].flat()) path.methods.add(each)
      known.set(pattern, path)
    },
    methodsOf: path => {
      const fitting = [...known].filter(([, { expression }]) => expression.test(path))
      const fewest = Math.min(...fitting.map(([pattern]) => opennessOf(pattern)))
      return fitting.filter(([pattern]) => opennessOf(pattern) === fewest).flatMap(([, { methods }]) => [...methods])
    },
  }
}

/** To a request that no route takes. */
export const noRoute = (paths: Paths, url: string): Problem => {
  const methods = paths.methodsOf(url.split('?', 1)[0] ?? '')
  if (methods.length === 0)
    return new Problem('not_found', 'There is nothing at this path. See the API reference at /docs.')
  const allow = [...new Set(methods)].sort().join(', ')
  return new Problem('method_not_allowed', `Use ${allow} here. See the API reference at /docs.`, { headers: { allow } })
}
