type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** `anyOf` of a plain type and null, as the list of types that generators read best. */
const withNull = ({ anyOf, ...schema }: Json): Json => {
  const [first, second, ...more] = (anyOf ?? []) as Json[]
  if (!first || second?.type !== 'null' || more.length > 0 || typeof first.type !== 'string')
    return { ...schema, anyOf }
  return {
    ...first,
    ...schema,
    type: [first.type, 'null'],
    ...(Array.isArray(first.enum) && { enum: [...first.enum, null] }),
  }
}

/**
 * The schemas that the document names: one with a `title` is described once, under that name, and referred to wherever
 * it is used. The service itself works with the schemas as they are declared, without references.
 */
export const createComponents = () => {
  const schemas: Record<string, Json> = {}

  const name = (title: string, schema: Json): Json => {
    const known = schemas[title]
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas are named ${title}`)
    schemas[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }

  /** `isOpen`: of an answer, which can get further fields. What is asked for stays closed. */
  const describe = (declared: unknown, isOpen: boolean): unknown => {
    if (Array.isArray(declared)) return declared.map(each => describe(each, isOpen))
    if (!isObject(declared)) return declared
    const schema: Json = {}
    for (const [keyword, value] of Object.entries(declared)) {
      if (keyword === 'title' || (isOpen && keyword === 'additionalProperties' && value === false)) continue
      if (keyword === 'patternProperties')
        schema.additionalProperties = describe(Object.values(value as Json)[0], isOpen)
      else if (keyword === 'properties')
        schema.properties = Object.fromEntries(
          Object.entries(value as Json).map(([field, each]) => [field, describe(each, isOpen)]),
        )
      else
        schema[keyword] = ['items', 'anyOf', 'additionalProperties'].includes(keyword) ? describe(value, isOpen) : value
    }
    const described = schema.anyOf ? withNull(schema) : schema
    return typeof declared.title === 'string' ? name(declared.title, described) : described
  }

  const nameOf = (operationId: string) => operationId.charAt(0).toUpperCase() + operationId.slice(1)
  const hasFields = (schema: Json) => Object.keys(schema.properties ?? {}).length > 0

  return {
    schemas,
    parameter: (schema: object) => describe(schema, false) as Json,
    /** Named after the operation, if it has no name of its own. */
    body: (schema: object, operationId: string) =>
      describe(hasFields(schema as Json) ? { title: `${nameOf(operationId)}Body`, ...schema } : schema, false) as Json,
    answer: (schema: object, operationId: string) =>
      describe(
        { title: hasFields(schema as Json) ? `${nameOf(operationId)}Answer` : 'Empty', ...schema },
        true,
      ) as Json,
  }
}
