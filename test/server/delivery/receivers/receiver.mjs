import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = process.env.WEBHOOK_SECRET

/** Returns the body of a genuine request, or null: then reject it. */
const verify = raw => {
  const { body, signature } = JSON.parse(raw)
  const expected = Buffer.from(createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex'))
  const given = Buffer.from(String(signature))
  return given.length === expected.length && timingSafeEqual(given, expected) ? body : null
}

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  let body = null
  try {
    body = verify(Buffer.concat(chunks).toString())
  } catch {}
  response.writeHead(body ? 204 : 401).end()
})
server.listen(Number(process.env.PORT ?? 8000), '127.0.0.1', () => console.log(`listening on ${server.address().port}`))
