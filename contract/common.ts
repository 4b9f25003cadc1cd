import Type, { type Static, type TSchema, type TSchemaOptions } from 'typebox'

/** Request objects are closed: an unknown field is an error. */
export const closed = { additionalProperties: false } as const
/** RFC 6749 §3.2: the endpoints of OAuth ignore parameters they don't know. */
export const open = { additionalProperties: true } as const

export const idPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

export const Id = (description: string) =>
  Type.String({
    pattern: idPattern,
    'x-allowed': 'a UUID in lower case',
    description,
    examples: ['0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10'],
  })

export const Time = (description: string, example = '2026-01-31T09:30:00.000Z') =>
  Type.String({ format: 'date-time', description, examples: [example] })

export const Nullable = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

/** Of a request: it need not be there, and is then taken for this. */
export const WithDefault = <S extends TSchema>(schema: S, value: NoInfer<Static<S>>) =>
  Type.Optional({ ...schema, default: value } as S)

/** Of a request: one of these, and nothing else. */
export const OneOf = <const T extends string>(values: readonly T[], options: TSchemaOptions = {}) =>
  Type.Unsafe<T>(Type.String({ enum: [...values], ...options }))

/** Of an answer: one of these for now. Whoever reads it must expect others, which later releases may add. */
export const OpenEnum = <const T extends string>(
  values: readonly T[],
  { description, ...options }: TSchemaOptions & { description: string },
) => {
  const isListed = values.every(value => description.includes(value))
  return Type.Unsafe<T>(
    Type.String({
      ...options,
      description: `${description}${isListed ? '' : `: ${values.join(', ')}`}. Further values may be added`,
      'x-extensible-enum': [...values],
    }),
  )
}

/*
 * Patterns are of the kind that every language's regular expressions read alike: generators turn the description into
 * code of theirs. What takes more is a format, which the server checks.
 */

/** One line of text that can be seen: no control characters, lone surrogates, or changes of direction. Stored trimmed. */
export const Line = (maxLength: number, options: TSchemaOptions & { description: string }) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', format: 'line', ...options })

/** Any text that can be stored and sent: no NUL, no lone surrogates. */
export const Text = (
  maxLength: number,
  options: TSchemaOptions & { description: string; minLength?: number; pattern?: string },
) => Type.String({ maxLength, format: 'text', ...options })

/** An http or https URL; the format is checked by the server's URL parser. */
export const HttpUrl = (description: string, example: string) =>
  Type.String({
    format: 'http-url',
    maxLength: 2048,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]\\S*$',
    description,
    examples: [example],
  })

/** What another system knows it by. `where`: within what it is unique. */
export const ExternalId = (where: string) =>
  Type.String({
    pattern: '^[!-~]{1,128}$',
    'x-allowed': '1 to 128 letters, digits and punctuation marks of ASCII, without spaces',
    description: `ID in another system. Unique ${where}`,
    examples: ['course-42'],
  })

const metadataText = 'Up to 16 keys of your own, each with a text of up to 500 characters'

/** What another system is to keep with it. */
export const NewMetadata = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {},
    {
      maxProperties: 16,
      propertyNames: {
        pattern: '^[A-Za-z0-9_.-]{1,40}$',
        'x-allowed': '1 to 40 letters, digits, _ . and - in each key',
      },
      additionalProperties: Text(500, { description: 'Value' }),
      title: 'NewMetadata',
      description: `${metadataText}. Replaces all of them. Not for secrets`,
      examples: [{ term: 'autumn' }],
    },
  ),
)

export const Metadata = Type.Unsafe<Record<string, string>>(
  Type.Object({}, { additionalProperties: Type.String(), title: 'Metadata', description: metadataText }),
)

/** Of an answer to those who manage it. */
export const References = {
  externalId: Type.Optional(
    Nullable(Type.String({ description: 'ID in another system' }), 'Only for those who manage it'),
  ),
  metadata: Type.Optional(Metadata),
}

export const ExternalIdFilter = {
  externalId: Type.Optional(Text(128, { minLength: 1, description: 'Only the one with this ID of another system' })),
}

export const Paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Items per page' })),
  cursor: Type.Optional(
    Type.String({
      pattern: idPattern,
      'x-allowed': 'as it was returned',
      description: '`nextCursor` of the previous page',
    }),
  ),
}

export const PageQuery = Type.Object(Paging, closed)
export type PageQuery = Static<typeof PageQuery>

export const SearchText = (names: string) =>
  Text(200, {
    description: `Only those whose ${names} begins with this, in upper or lower case and any alphabet, in the order of the names`,
    examples: ['alg'],
  })

/** Of a list that has more orders than one: the cursor also has the place in that order. */
export const SortedPaging = {
  ...Paging,
  cursor: Type.Optional(
    Type.String({
      // Of a username of 64 letters that are compared as up to 18 each.
      maxLength: 3000,
      pattern: `${idPattern.slice(0, -1)}(\\.[A-Za-z0-9_-]+)?$`,
      description: '`nextCursor` of the previous page',
    }),
  ),
}

/** A list that can be searched. */
export const Search = (names: string) => ({ q: Type.Optional(SearchText(names)), ...SortedPaging })
export interface SearchQuery extends PageQuery {
  q?: string
}

export const Page = <S extends TSchema>(item: S) =>
  Type.Object(
    {
      items: Type.Array(item),
      nextCursor: Nullable(
        Type.String({ description: 'Pass it as `cursor` to get the next page; null on the last page' }),
      ),
    },
    { title: `${(item as { title?: string }).title}Page` },
  )

export const Empty = Type.Object({}, closed)
