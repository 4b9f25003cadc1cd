/** A description with what each `$ref` leads to in its place. Ours leads in no circles. */
export const dereferenced = <T>(document: T): T => {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    if ('$ref' in value) {
      const [, ...names] = String(value.$ref).split('/')
      return resolve(
        names.reduce((at, name) => at[name] as Record<string, unknown>, document as Record<string, unknown>),
      )
    }
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolve(each)]))
  }
  return resolve(document) as T
}
