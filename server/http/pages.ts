import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { captchaSources } from '../identity/captcha.ts'
import { anyone } from '../rules.ts'
import type { Context } from './context.ts'
import { noRoute, type Paths } from './paths.ts'
import { Problem } from './problem.ts'

const built = join(import.meta.dirname, '../../web/dist')

/** Paths of the console's own router: reloading one serves the console again. */
const consolePaths = [
  '/',
  '/sign-in',
  '/invite',
  '/account',
  '/clients',
  '/tokens',
  '/spaces',
  '/spaces/*',
  '/operator/*',
]

/** `widget`: the sources of a part of the page that is not ours; none if empty. */
const policy = (publicOrigin: string, ancestors: string, { widget = '', scripts = '' } = {}) =>
  [
    "default-src 'none'",
    `script-src 'self' ${widget}${scripts}`,
    // The component library writes its variables into style elements.
    `style-src 'self' 'unsafe-inline' ${widget}`,
    // A space's logo may be anywhere.
    "img-src 'self' data: blob: https: http:",
    "media-src 'self' blob:",
    "font-src 'self'",
    // Some browsers do not count a WebSocket to the page's own host as its own origin.
    `connect-src 'self' ${publicOrigin.replace(/^http/, 'ws')} ${widget}`,
    `frame-src ${widget || "'none'"}`,
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${ancestors}`,
  ]
    .map(directive => directive.trimEnd())
    .join('; ')

/** What the pages are made of. */
const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.tflite': 'application/octet-stream',
}

/** Made by the build, beside each file that gains by it. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const notBuilt = 'The pages are not built. Run `npm run build` and restart Lectern.\n'

/** The console and the room page, as `npm ci` has built them. */
export const pageRoutes = (app: FastifyInstance, { config, publicOrigin }: Context, paths: Paths) => {
  const open = { config: { rule: anyone } }
  const isBuilt = existsSync(join(built, 'built-from'))
  const read = (name: string) => (isBuilt ? readFileSync(join(built, name), 'utf8') : notBuilt)
  const send = (reply: FastifyReply, page: string) =>
    isBuilt
      ? reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page)
      : reply.code(503).type('text/plain; charset=utf-8').send(page)

  const { captchaProvider, captchaSiteKey } = config
  const embedders = config.embedOrigins.join(' ')
  const readWithEmbedders = (name: string) =>
    read(name).replace('name="embed-origins" content=""', `name="embed-origins" content="${embedders}"`)
  const consolePage = readWithEmbedders('console.html')
    .replace(
      'name="captcha" content=""',
      `name="captcha" content="${captchaProvider ? `${captchaProvider} ${captchaSiteKey}` : ''}"`,
    )
    .replace('name="direct-members" content=""', `name="direct-members" content="${config.directMembers ? 'on' : ''}"`)
  const sendConsole = (reply: FastifyReply) => {
    reply
      .header('content-security-policy', policy(publicOrigin(), "'none'", { widget: captchaSources(config) }))
      .header('permissions-policy', 'camera=(), microphone=(), display-capture=()')
    return send(reply, consolePage)
  }
  for (const path of consolePaths) app.get(path, open, (_request, reply) => sendConsole(reply))
  // Decided before the body is read: what it is made of doesn't matter where nothing takes it.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    // A person who mistypes an address is told so by the console; a program gets the same answer as ever.
    const isPerson = request.method === 'GET' && request.headers.accept?.includes('text/html')
    if (isPerson && !request.url.startsWith('/v1/')) return sendConsole(reply.code(404))
    throw noRoute(paths, request.url)
  })

  // The page posts its events to these origins alone.
  const roomPage = readWithEmbedders('room.html')
  const ancestors = `'self' ${embedders}`.trim()
  app.get('/room/:alias', open, (_request, reply) => {
    reply
      .header('content-security-policy', policy(publicOrigin(), ancestors, { scripts: "'wasm-unsafe-eval'" }))
      .header('permissions-policy', 'camera=(self), microphone=(self), display-capture=(self), fullscreen=(self)')
    return send(reply, roomPage)
  })
  // For those who watch the live stream, without a camera or a microphone.
  app.get('/room/:alias/live', open, (_request, reply) => {
    reply
      .header('content-security-policy', policy(publicOrigin(), ancestors))
      .header('permissions-policy', 'camera=(), microphone=(), display-capture=(), fullscreen=(self)')
    return send(reply, roomPage)
  })

  // For our own recorder: the page does nothing without the service that has opened it.
  const recorderPage = read('recorder.html')
  app.get('/recorder', open, (_request, reply) => {
    reply
      .header('content-security-policy', policy(publicOrigin(), "'none'"))
      .header('permissions-policy', 'camera=(), microphone=(), display-capture=(self)')
    return send(reply, recorderPage)
  })

  // Only what was there at the start is ever looked for. @fastify/static would take 2 MB more at rest.
  const assets = new Set(isBuilt ? readdirSync(join(built, 'assets')) : [])
  app.get('/assets/:name', open, (request, reply) => {
    const { name } = request.params as { name: string }
    const type = types[extname(name)]
    if (!type || !assets.has(name)) throw new Problem('not_found', 'File not found. Reload the page.')
    const accepted = request.headers['accept-encoding'] ?? ''
    const encoding = encodings.find(([token, suffix]) => accepted.includes(token) && assets.has(name + suffix))
    reply
      .type(type)
      .header('vary', 'accept-encoding')
      // Their names change with their content.
      .header('cache-control', 'public, max-age=31536000, immutable')
    if (encoding) reply.header('content-encoding', encoding[0])
    return reply.send(createReadStream(join(built, 'assets', name + (encoding?.[1] ?? ''))))
  })
}
