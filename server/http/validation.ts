import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'
import { NewUser } from '../../contract/users.ts'
import { Problem } from './problem.ts'

const options = { strict: false, removeAdditional: false, useDefaults: false } as const

/** A body is taken as it is; a query string has only strings, so there alone numbers are read from text. */
const strict = new Ajv({ ...options, coerceTypes: false, allErrors: true })
const coercing = new Ajv({ ...options, coerceTypes: true, allErrors: true })
/** For bodies made to be costly: the first mistake will do. */
const hasty = new Ajv({ ...options, coerceTypes: false })
for (const ajv of [strict, coercing, hasty]) {
  addFormats.default(ajv, ['email', 'date-time'])
  ajv.addFormat('http-url', isHttpUrl)
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

const MOST_ERRORS = 20
const LONGEST_NAME = 100

/** Nothing of ours has so many fields, such long texts or lists. */
const isOversized = (data: unknown): boolean => {
  let fields = 0
  for (const name in data as object) {
    const value = (data as Record<string, unknown>)[name]
    if (++fields > 50 || ((typeof value === 'string' || Array.isArray(value)) && value.length > 10_000)) return true
  }
  return false
}

const describe = (error: ErrorObject) => {
  if (error.keyword === 'additionalProperties')
    return {
      path: `${error.instancePath}/${error.params.additionalProperty.slice(0, LONGEST_NAME)}`,
      message: 'is not a known field',
    }
  if (error.keyword === 'required')
    return { path: `${error.instancePath}/${error.params.missingProperty}`, message: 'is required' }
  if (error.keyword === 'enum')
    return { path: error.instancePath, message: `must be one of ${error.params.allowedValues.join(', ')}` }
  if (error.keyword === 'pattern')
    return { path: error.instancePath, message: 'has characters or a form that is not allowed' }
  return { path: error.instancePath, message: error.message ?? 'is not valid' }
}

const refusal = (where: string, found: ErrorObject[]) => {
  // A union also complains that none of its branches fits; the branches themselves say it better.
  const telling = found.filter(({ keyword }) => keyword !== 'anyOf')
  const errors = (telling.length > 0 ? telling : found).slice(0, MOST_ERRORS).map(describe)
  const [first] = errors
  return new Problem(
    'invalid_request',
    `The ${where} is not valid: ${first?.path.slice(1) || 'it'} ${first?.message}.`,
    { errors },
  )
}

/** Schemas are compiled when they are first needed, which keeps the start quick. */
export const validateRequests = (app: FastifyInstance) => {
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? strict : coercing
    const compiled = new Map<Ajv, ValidateFunction>()
    return data => {
      const chosen = ajv === strict && isOversized(data) ? hasty : ajv
      const validate = compiled.get(chosen) ?? chosen.compile(schema)
      compiled.set(chosen, validate)
      return validate(data)
        ? { value: data }
        : { error: refusal(httpPart === 'body' ? 'body' : 'query', validate.errors ?? []) }
    }
  })
}

/** For accounts that are not made over HTTP. */
export const checkNewUser = (user: NewUser) => {
  const validate = strict.compile(NewUser)
  if (!validate(user)) throw refusal('account', validate.errors ?? [])
}
