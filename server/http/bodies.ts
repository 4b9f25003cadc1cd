import { isUtf8 } from 'node:buffer'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

export const BODY_LIMIT = 1024 * 1024
/** Nothing of ours is nested deeper than two; a text far beyond that is only there to hurt. */
const NESTING_LIMIT = 32

const nestsTooDeep = (text: string): boolean => {
  if (text.length <= NESTING_LIMIT) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (inString) {
      if (character === 0x5c) at++
      else if (character === 0x22) inString = false
    } else if (character === 0x22) inString = true
    else if (character === 0x7b || character === 0x5b) {
      if (++depth > NESTING_LIMIT) return true
    } else if (character === 0x7d || character === 0x5d) depth--
  }
  return false
}

const unsupported = (detail: string) => new Problem('unsupported_media_type', detail)

/** One guarded way for JSON under either content type; forms only where a route asks for them. */
export const readBodies = (app: FastifyInstance) => {
  // Refuses __proto__ and constructor.prototype keys, which a bare JSON.parse lets through.
  const parseJson = app.getDefaultJsonParser('error', 'error')

  const readJson = (request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void) => {
    if (bytes.length === 0) return done(null, undefined)
    if (!isUtf8(bytes)) return done(new Problem('malformed_body', 'The body must be UTF-8.'))
    const text = bytes.toString()
    if (nestsTooDeep(text))
      return done(new Problem('malformed_body', `The body must not be nested deeper than ${NESTING_LIMIT} levels.`))
    return parseJson(request, text, (error, body) =>
      error ? done(new Problem('malformed_body', 'The body is not valid JSON.')) : done(null, body),
    )
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) =>
    readJson(request, body as Buffer, done),
  )
  app.addContentTypeParser('text/plain', { parseAs: 'buffer' }, (request, body, done) => {
    // Any site can make a browser send text/plain, with our cookies: it counts only with a token in the header.
    if (body.length > 0 && request.headers.authorization === undefined)
      return done(unsupported('text/plain is accepted only with an Authorization header. Send application/json.'))
    return readJson(request, body as Buffer, done)
  })
  refuseOthers(app, 'Send the body as application/json.')
}

const refuseOthers = (app: FastifyInstance, detail: string) =>
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    body.length === 0 ? done(null, undefined) : done(unsupported(detail)),
  )

/** Files of these types as they are, and nothing else. */
export const readFiles = (app: FastifyInstance, types: readonly string[]) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser([...types], { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  refuseOthers(app, `Send the file as ${types.join(', ')}.`)
}

export const readForms = (app: FastifyInstance) => {
  app.register(formbody)
  app.removeContentTypeParser('*')
  refuseOthers(app, 'Send the body as application/x-www-form-urlencoded or application/json.')
}
