import { gzipSync } from 'node:zlib'
import type { FastifyReply } from 'fastify'

const configuration = {
  url: '/openapi.json',
  withDefaultFonts: false,
  hideClientButton: true,
  telemetry: false,
  showDeveloperTools: 'never',
  mcp: { disabled: true },
  agent: { disabled: true },
  metaData: { title: 'Lectern API reference' },
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lectern reference</title>
<style>.guides { padding: .6rem 1.5rem; font: 14px/1.5 system-ui, sans-serif; border-bottom: 1px solid #8884 } .guides a { color: var(--scalar-color-1) }</style>
<body>
<nav class="guides" aria-label="Guides"><a href="/docs/guides">Guides</a></nav>
<script id="api-reference" data-configuration="${JSON.stringify(configuration).replaceAll('"', '&quot;')}"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The reference as a page. Its script weighs megabytes, so it is loaded when somebody first opens it. */
export const createDocs = () => {
  let script: Promise<Buffer> | undefined
  const load = async () => {
    const [{ default: Fastify }, { default: scalar }] = await Promise.all([
      import('fastify'),
      import('@scalar/fastify-api-reference'),
    ])
    const app = Fastify()
    await app.register(scalar, { routePrefix: '/', configuration: { url: configuration.url } })
    const { rawPayload } = await app.inject('/js/scalar.js')
    await app.close()
    return gzipSync(rawPayload)
  }
  return {
    page: (reply: FastifyReply) =>
      reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(page),
    async script(reply: FastifyReply) {
      script ??= load().catch(error => {
        script = undefined
        throw error
      })
      return reply
        .type('text/javascript; charset=utf-8')
        .header('content-encoding', 'gzip')
        .header('cache-control', 'public, max-age=3600')
        .send(await script)
    },
  }
}
