/*
 * The yardstick: a bare Fastify handler with the same body schema, one token check and the rows it takes, the room and
 * its entry in the audit log, flushed by themselves or, with `shared`, with those of the requests beside it. They can be
 * found by their ids alone or, with `indexed`, by whatever the service finds them by. No rules, no standing, no limits, no
 * log. Stores them in a SQLite file or, given its address, in PostgreSQL. Prints its address and a token.
 */
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { createSigner, createVerifier } from 'fast-jwt'
import Fastify from 'fastify'
import { operations } from '../contract/operations.ts'
import type { NewRoom } from '../contract/rooms.ts'
import { openBarePostgres } from './barePostgres.ts'
import { openBareSqlite } from './bareSqlite.ts'

/** Values in the order of the columns of bareTables.ts. */
export interface BareStore {
  create: (room: unknown[], act: unknown[]) => unknown
  find: (id: string) => unknown
}

const [where = '', ...kinds] = process.argv.slice(2)
const store: BareStore = where.startsWith('postgres:')
  ? await openBarePostgres(where, kinds.includes('indexed'))
  : openBareSqlite(where, kinds.includes('indexed'), kinds.includes('shared'))

const key = randomBytes(32)
const verify = createVerifier({ key, algorithms: ['HS256'], requiredClaims: ['exp'] })
const checkToken = (authorization = '') => verify(authorization.slice(7)) as { sub: string }

// The schemas have words of ours in them.
const app = Fastify({ ajv: { customOptions: { strict: false } } })
const { createRooms, getRoom } = operations
app.post<{ Body: NewRoom; Params: { spaceId: string } }>(
  createRooms.path,
  { schema: { body: createRooms.body, response: { 200: createRooms.answer } } },
  async ({ headers, ip, params, body }) => {
    const { sub } = checkToken(headers.authorization)
    const [id, alias, channelId] = [randomUUIDv7(), randomBytes(6).toString('hex'), randomUUIDv7()]
    const now = Date.now()
    await store.create(
      [id, params.spaceId, alias, channelId, body.name, body.type ?? 'lesson', sub, now],
      [randomUUIDv7(), now, 'room.created', 'user', sub, '', ip, sub, params.spaceId, 'room', id, body.name, '{}'],
    )
    return { id, alias, channelId }
  },
)
app.get<{ Params: { roomId: string } }>(
  getRoom.path,
  { schema: { response: { 200: getRoom.answer } } },
  async ({ headers, params }) => {
    checkToken(headers.authorization)
    const room = (await store.find(params.roomId)) as { createdAt: number }
    const createdAt = new Date(room.createdAt).toISOString()
    return { ...room, role: null, createdAt, updatedAt: createdAt, metadata: {} }
  },
)
const url = await app.listen({ port: 0 })
const token = createSigner({ key, algorithm: 'HS256', expiresIn: '1h' })({ sub: randomUUIDv7() })
console.log(JSON.stringify({ url, token }))
