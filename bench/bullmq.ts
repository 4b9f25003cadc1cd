/*
 * The yardstick for an event's way: `bullmq.ts REDIS RECEIVER`. A bare Fastify handler with one token check adds a job,
 * and a worker in the same process posts it, signed as ours are and as many at once. Prints its address and a token.
 */
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { Queue, Worker } from 'bullmq'
import { createSigner, createVerifier } from 'fast-jwt'
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { Agent } from 'undici'
import { MAX_WIDTH } from '../server/delivery/pacing.ts'
import { callbackHeaders, callbackPayload, newSecret } from '../server/delivery/sign.ts'
import { event } from './outbox.ts'

const [socket = '', receiver = ''] = process.argv.slice(2)
const connect = () => new Redis({ path: socket, maxRetriesPerRequest: null })
const queue = new Queue<string>('events', {
  connection: connect(),
  defaultJobOptions: { attempts: 3, backoff: { type: 'exponential', delay: 30_000 }, removeOnComplete: 1000 },
})

const agent = new Agent()
const secret = newSecret()
new Worker<string>(
  'events',
  async ({ id = '', data }) => {
    const payload = callbackPayload(data, secret)
    const { statusCode, body } = await agent.request({
      origin: receiver,
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/json', ...callbackHeaders(id, payload, [secret], Date.now()) },
      body: payload,
    })
    await body.dump()
    if (statusCode >= 300) throw new Error(`answered ${statusCode}`)
  },
  { connection: connect(), concurrency: MAX_WIDTH },
)

const key = randomBytes(32)
const verify = createVerifier({ key, algorithms: ['HS256'], requiredClaims: ['exp'] })
const app = Fastify()
app.post<{ Params: { spaceId: string } }>('/v1/spaces/:spaceId/webhook/test', async ({ headers, params }) => {
  verify(headers.authorization?.slice(7) ?? '')
  const { id } = await queue.add('event', JSON.stringify(event(params.spaceId)))
  return { id }
})
const url = await app.listen({ port: 0 })
const token = createSigner({ key, algorithm: 'HS256', expiresIn: '1h' })({ sub: randomUUIDv7() })
console.log(JSON.stringify({ url, token }))
