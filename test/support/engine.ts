import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { AccessToken } from 'livekit-server-sdk'
import { closeAtTheEnd } from './closing.ts'
import type { Lectern } from './lectern.ts'
import { SWITCHING } from './sockets.ts'

/* LiveKit's interface for servers without LiveKit: nobody is in it but whom the test puts there. */

export interface EngineParticipant {
  identity: string
  sid: string
  state: 'ACTIVE'
  joinedAt: string
  permission?: object
}

const key = { LECTERN_LIVEKIT_API_KEY: 'key', LECTERN_LIVEKIT_API_SECRET: 'a secret that is long enough for it' }

/** What several of them share, as the nodes of a cluster do. */
export const createRooms = () => ({
  participants: new Map<string, EngineParticipant[]>(),
  /** Rooms of a node that has died: the others know of them, and cannot reach them. */
  lost: new Set<string>(),
  /** Rooms that tell who is in them, and do nothing. */
  stuck: new Set<string>(),
  /** The method and the room of each request that changes something. */
  asked: [] as { method: string; room: string; identity?: string; data?: string; to?: string[] }[],
})
type Rooms = ReturnType<typeof createRooms>

type Request = {
  name?: string
  room?: string
  identity?: string
  permission?: object
  data?: string
  destinationIdentities?: string[]
}

const answerTo = (rooms: Rooms, method: string, request: Request) => {
  const { name, room = name ?? '', identity, permission, data, destinationIdentities: to } = request
  const { participants, lost, stuck, asked } = rooms
  if (method === 'ListRooms') return { rooms: [...participants.keys()].map(known => ({ name: known })) }
  if (lost.has(room)) return null
  const inside = participants.get(room) ?? []
  if (method === 'ListParticipants') return { participants: inside }
  if (stuck.has(room)) return null
  asked.push({ method, room, ...(identity && { identity }), ...(data && { data }), ...(to && { to }) })
  if (method === 'CreateRoom') participants.set(room, inside)
  if (method === 'DeleteRoom') participants.delete(room)
  if (method === 'RemoveParticipant')
    participants.set(
      room,
      inside.filter(one => one.identity !== identity),
    )
  if (method === 'UpdateParticipant')
    for (const one of inside) if (one.identity === identity && permission) one.permission = permission
  return { name: room }
}

export const startEngineNode = async (rooms: Rooms) => {
  const connections: Duplex[] = []
  const server = createServer((request, response) => {
    const method = request.url?.split('/').at(-1) ?? ''
    if (!request.url?.startsWith('/twirp/')) return response.end('OK')
    let raw = ''
    request.setEncoding('utf8')
    request.on('data', chunk => {
      raw += chunk
    })
    request.on('end', () => {
      const answer = answerTo(rooms, method, JSON.parse(raw))
      response.writeHead(answer ? 200 : 503, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? { code: 'unavailable', msg: 'no response from servers' }))
    })
  })
  server.on('upgrade', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    connections.push(socket)
    socket.write(SWITCHING)
  })
  let port = 0
  const start = () =>
    new Promise<void>(started => {
      server.listen(port, '127.0.0.1', () => {
        port = (server.address() as AddressInfo).port
        started()
      })
    })
  const stop = () =>
    new Promise<void>(stopped => {
      server.close(() => stopped())
      server.closeAllConnections()
      for (const socket of connections) socket.destroy()
    })
  await start()
  closeAtTheEnd(() => (server.listening ? stop() : undefined))
  return { url: `http://127.0.0.1:${port}`, connections, start, stop }
}

export const settingsFor = (...nodes: { url: string }[]) => ({
  LECTERN_MEDIA: 'on',
  LECTERN_LIVEKIT_URL: nodes.map(({ url }) => url).join(', '),
  ...key,
})

/** Tells Lectern of it, signed as the engine signs. */
export const tell = async (lectern: Lectern, event: object) => {
  const raw = JSON.stringify(event)
  const token = new AccessToken(key.LECTERN_LIVEKIT_API_KEY, key.LECTERN_LIVEKIT_API_SECRET)
  token.sha256 = createHash('sha256').update(raw).digest('base64')
  const headers = { 'content-type': 'application/webhook+json', authorization: await token.toJwt() }
  const { status } = await lectern.request('POST', '/v1/media/events', { headers, raw })
  if (status !== 200) throw new Error(`the event was answered with ${status}`)
}

/** As the engine hands out to those connected, to go on with. */
export const freshToken = (participantId: string, channelId: string) => {
  const token = new AccessToken(key.LECTERN_LIVEKIT_API_KEY, key.LECTERN_LIVEKIT_API_SECRET, {
    identity: participantId,
  })
  token.addGrant({ roomJoin: true, room: channelId })
  return token.toJwt()
}
