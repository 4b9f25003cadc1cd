/*
 * The yardstick: a bare Fastify handler with the same body schema, one token check and the rows it takes, the room and
 * its entry in the audit log, flushed by themselves. No rules, no standing, no limits, no log. Prints its address and a
 * token.
 */
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import Database from 'better-sqlite3'
import { createSigner, createVerifier } from 'fast-jwt'
import Fastify from 'fastify'
import { operations } from '../contract/operations.ts'
import type { NewRoom } from '../contract/rooms.ts'

const [file = ''] = process.argv.slice(2)
const database = new Database(file)
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.exec(
  'CREATE TABLE rooms (id TEXT PRIMARY KEY, spaceId TEXT, alias TEXT, channelId TEXT, name TEXT, type TEXT, isPublic INTEGER, isChatAllowed INTEGER, isScreensharingAllowed INTEGER, isFloorAllowed INTEGER, creatorId TEXT, createdAt INTEGER)',
)
database.exec(
  'CREATE TABLE audit (id TEXT PRIMARY KEY, at INTEGER, action TEXT, actorKind TEXT, actorId TEXT, actorName TEXT, address TEXT, tokenId TEXT, spaceId TEXT, targetType TEXT, targetId TEXT, targetName TEXT, details TEXT)',
)
const insert = database.prepare('INSERT INTO rooms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
const record = database.prepare('INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
const create = database.transaction((room: unknown[], act: unknown[]) => {
  insert.run(...room)
  record.run(...act)
})
const select = database.prepare('SELECT * FROM rooms WHERE id = ?')

const key = randomBytes(32)
const verify = createVerifier({ key, algorithms: ['HS256'], requiredClaims: ['exp'] })
const checkToken = (authorization = '') => verify(authorization.slice(7)) as { sub: string }

const app = Fastify()
const { createRooms, getRoom } = operations
app.post<{ Body: NewRoom; Params: { spaceId: string } }>(
  createRooms.path,
  { schema: { body: createRooms.body, response: { 200: createRooms.answer } } },
  async ({ headers, ip, params, body }) => {
    const { sub } = checkToken(headers.authorization)
    const [id, alias, channelId] = [randomUUIDv7(), randomBytes(6).toString('hex'), randomUUIDv7()]
    const now = Date.now()
    create(
      [id, params.spaceId, alias, channelId, body.name, body.type ?? 'lesson', 0, 1, 1, 0, sub, now],
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
    const room = select.get(params.roomId) as { createdAt: number }
    return { ...room, role: null, createdAt: new Date(room.createdAt).toISOString() }
  },
)
const url = await app.listen({ port: 0 })
const token = createSigner({ key, algorithm: 'HS256', expiresIn: '1h' })({ sub: randomUUIDv7() })
console.log(JSON.stringify({ url, token }))
