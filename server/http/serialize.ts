import fastJson from 'fast-json-stringify'
import { idPattern } from '../../contract/common.ts'

type Schema = Record<string, unknown> & { anyOf?: Schema[]; type?: string; format?: string }

/** The library's name for texts that it writes as they are. */
const PLAIN = 'unsafe'

/** Of an answer, made when it is needed first: compiling all of them would take most of a start. */
export const createSerializer = (schema: unknown) => {
  let serialize: ((data: unknown) => string) | undefined
  return (data: unknown) => {
    serialize ??= fastJson(simplified(schema) as never, { ajv: { formats: { [PLAIN]: true } } })
    return serialize(data)
  }
}

/**
 * Of alternatives it asks a validator, value for value, which of them it has: null it can tell by itself. Texts it looks
 * through for what JSON writes differently: ids, times and names of our own have nothing of it.
 */
const simplified = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(simplified)
  if (typeof schema !== 'object' || schema === null) return schema
  const { anyOf, ...others } = schema as Schema
  const [value, other] = anyOf ?? []
  if (value && other?.type === 'null' && anyOf?.length === 2)
    return { ...others, ...(simplified(value) as Schema), nullable: true }
  if (isPlain(schema as Schema)) return { ...schema, format: PLAIN }
  return Object.fromEntries(Object.entries(schema).map(([name, inside]) => [name, simplified(inside)]))
}

const isPlain = ({ type, format, ...schema }: Schema) =>
  type === 'string' && (format === 'date-time' || schema.pattern === idPattern || 'x-extensible-enum' in schema)
