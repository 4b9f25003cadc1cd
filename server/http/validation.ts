import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import { clients } from '../../contract/clients.ts'
import { type FieldCode, type FieldError, fieldCodes } from '../../contract/errors.ts'
import { NewUser } from '../../contract/users.ts'
import { rtmpTargetOf } from '../streaming/rtmp.ts'
import { isTime } from '../times.ts'
import { Problem } from './problem.ts'

/** Verbose: an error brings the value and its schema along. */
const options = { strict: false, removeAdditional: false, useDefaults: false, verbose: true } as const

const strict = new Ajv({ ...options, allErrors: true })
/** For bodies made to be costly: the first mistake will do. */
const hasty = new Ajv(options)
const dateTime = addFormats.default.get('date-time') as { validate: (text: string) => boolean }
for (const ajv of [strict, hasty]) {
  addFormats.default(ajv, ['email'])
  ajv.addFormat('date-time', isDateTime)
  ajv.addFormat('http-url', isHttpUrl)
  ajv.addFormat('rtmp-url', text => rtmpTargetOf(text) !== null)
  ajv.addFormat('text', text => text.isWellFormed() && !text.includes('\0'))
  ajv.addFormat('line', isLine)
  ajv.addFormat('username', /^[^\p{C}]*$/u)
}

/** A name that can be seen, and leaves what stands around it as it is: without line breaks or overrides of direction. */
function isLine(text: string): boolean {
  const isVisible = /[^\p{Z}\p{C}\u115f\u1160\u2800\u3164\uffa0]/u.test(text)
  return isVisible && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text)
}

/** That can be stored and told again: neither a leap second nor one beyond the year 9999 in UTC can. */
function isDateTime(text: string): boolean {
  return dateTime.validate(text) && isTime(Date.parse(text))
}

/** With credentials, if any, that can be sent. */
function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text) || /[\s\p{Cc}\p{Cs}]/u.test(text)) return false
  const { username, password } = new URL(text)
  try {
    decodeURIComponent(username)
    decodeURIComponent(password)
    return true
  } catch {
    return false
  }
}

const MAX_ERRORS = 20
const MAX_NAME_LENGTH = 100

/** Nothing of ours has so many fields, such long texts or lists. */
const isOversized = (data: unknown): boolean => {
  let fields = 0
  for (const name in data as object) {
    const value = (data as Record<string, unknown>)[name]
    if (++fields > 50 || ((typeof value === 'string' || Array.isArray(value)) && value.length > 10_000)) return true
  }
  return false
}

const codeOfFormat: Record<string, FieldCode> = {
  email: 'email',
  'http-url': 'url',
  'date-time': 'time',
  'rtmp-url': 'pattern',
  text: 'pattern',
  line: 'pattern',
  username: 'pattern',
}

const allowedByFormat: Record<string, string> = {
  'rtmp-url': 'rtmp:// or rtmps://, a host, and a path of an application and a stream key',
  text: 'no NUL character or incomplete character',
  line: 'one line that can be seen, without control characters',
  username: 'no control characters or invisible characters',
}

/** By Ajv's keyword: the code, its parameters, and what the message adds to the code's own. */
const complaints: Record<string, (of: ErrorObject) => [code: FieldCode, params?: FieldError['params'], more?: string]> =
  {
    required: () => ['required'],
    additionalProperties: () => ['unknown_field'],
    type: ({ params: { type } }) => ['wrong_type', { type }, `it must be ${type}`],
    enum: ({ params: { allowedValues: values } }) => ['not_one_of', { values }, values.join(', ')],
    minLength: ({ params: { limit: min } }) => ['too_short', { min }, `at least ${min} characters`],
    maxLength: ({ params: { limit: max } }) => ['too_long', { max }, `at most ${max} characters`],
    minimum: ({ params: { limit: min } }) => ['too_small', { min }, `at least ${min}`],
    maximum: ({ params: { limit: max } }) => ['too_large', { max }, `at most ${max}`],
    minItems: ({ params: { limit: min } }) => ['too_few_items', { min }, `at least ${min}`],
    maxItems: ({ params: { limit: max } }) => ['too_many_items', { max }, `at most ${max}`],
    minProperties: ({ params: { limit: min }, parentSchema }) => [
      'too_few_items',
      { min },
      parentSchema?.['x-allowed'] ?? `at least ${min}`,
    ],
    maxProperties: ({ params: { limit: max }, parentSchema }) => [
      'too_many_items',
      { max },
      parentSchema?.['x-allowed'] ?? `at most ${max}`,
    ],
    uniqueItems: () => ['not_unique'],
    format: ({ params: { format } }) => [codeOfFormat[format] ?? 'invalid', {}, allowedByFormat[format]],
    // Where there is a format, the pattern is a part of it.
    pattern: ({ parentSchema }) => [codeOfFormat[parentSchema?.format] ?? 'pattern', {}, parentSchema?.['x-allowed']],
  }

/** To the person who fills in a form, an empty value is missing; so is a blank one where that is not allowed. */
const isMissing = ({ keyword, data }: ErrorObject) =>
  data === '' ? keyword !== 'type' : keyword === 'pattern' && typeof data === 'string' && data.trim() === ''

/** RFC 6901. */
const toPointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

const pathOf = ({ instancePath, keyword, params }: ErrorObject): string => {
  if (keyword === 'additionalProperties')
    return `${instancePath}/${toPointer(params.additionalProperty.slice(0, MAX_NAME_LENGTH))}`
  return keyword === 'required' ? `${instancePath}/${params.missingProperty}` : instancePath
}

const describe = (error: ErrorObject): FieldError => {
  const [code, params = {}, more]: ReturnType<(typeof complaints)[string]> = isMissing(error)
    ? ['required']
    : (complaints[error.keyword]?.(error) ?? ['invalid'])
  const message = more === undefined ? fieldCodes[code] : `${fieldCodes[code]}: ${more}`
  return { path: pathOf(error), code, params, message }
}

/** Of a union the branches themselves say it better, and that null would do is no help. */
const isTelling = ({ keyword, params }: ErrorObject) =>
  keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null')

const validationProblem = (where: string, found: ErrorObject[]) => {
  const told = new Set<string>()
  const isNew = ({ path, code }: FieldError) => {
    const isKnown = told.has(`${code} ${path}`)
    told.add(`${code} ${path}`)
    return !isKnown
  }
  const telling = found.filter(isTelling).slice(0, MAX_ERRORS)
  const missing = new Set(telling.filter(isMissing).map(pathOf))
  /** What is missing is not too long besides. */
  const isFitting = (error: ErrorObject) => isMissing(error) || !missing.has(pathOf(error))
  const errors = telling.filter(isFitting).map(describe).filter(isNew)
  const [first] = errors
  return new Problem(
    'invalid_request',
    `The ${where} is not valid: ${first?.path.slice(1) || 'it'} ${first?.message}.`,
    { errors },
  )
}

interface QuerySchema {
  properties: Record<string, { type?: string } | undefined>
}

/** A query has only text: whole numbers are read from plain digits, and from nothing else that JavaScript takes for one. */
const readNumbers = (query: Record<string, unknown>, { properties }: QuerySchema) => {
  for (const [name, value] of Object.entries(query))
    if (properties[name]?.type === 'integer' && typeof value === 'string' && /^-?\d+$/.test(value))
      query[name] = Number(value)
}

/** Schemas are compiled when they are first needed, which keeps the start quick. */
export const validateRequests = (app: FastifyInstance) => {
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const isBody = httpPart === 'body'
    const compiled = new Map<Ajv, ValidateFunction>()
    return data => {
      if (!isBody) readNumbers(data, schema as unknown as QuerySchema)
      const chosen = isBody && isOversized(data) ? hasty : strict
      const validate = compiled.get(chosen) ?? chosen.compile(schema)
      compiled.set(chosen, validate)
      if (validate(data)) return { value: data }
      return { error: validationProblem(isBody ? 'body' : 'query', validate.errors ?? []) }
    }
  })
}

/** For what is not made over HTTP. */
const check = (schema: object, value: object, where: string) => {
  const validate = strict.compile(schema)
  if (!validate(value)) throw validationProblem(where, validate.errors ?? [])
}
export const checkNewUser = (user: NewUser) => check(NewUser, user, 'account')
export const checkNewClient = (client: { name: string }) => check(clients.createClient.body, client, 'API client')
