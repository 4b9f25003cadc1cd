import fastJson from 'fast-json-stringify'

type Schema = Record<string, unknown> & { anyOf?: Schema[] }

/** Of an answer, made when it is needed first: compiling all of them would take most of a start. */
export const createSerializer = (schema: unknown) => {
  let serialize: ((data: unknown) => string) | undefined
  return (data: unknown) => {
    serialize ??= fastJson(withNullables(schema) as never)
    return serialize(data)
  }
}

/** Of alternatives it asks a validator, value for value, which of them it has. Null it can tell by itself. */
const withNullables = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withNullables)
  if (typeof schema !== 'object' || schema === null) return schema
  const { anyOf, ...others } = schema as Schema
  const [value, other] = anyOf ?? []
  if (value && other?.type === 'null' && anyOf?.length === 2)
    return { ...others, ...(withNullables(value) as Schema), nullable: true }
  return Object.fromEntries(Object.entries(schema).map(([name, inside]) => [name, withNullables(inside)]))
}
