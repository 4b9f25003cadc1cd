import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AccessToken } from 'livekit-server-sdk'
import { closeAtTheEnd } from './closing.ts'

/* An engine without media, for more people than a machine has room for: it lists whom the test says, and tells of them. */

const KEY = { LECTERN_LIVEKIT_API_KEY: 'key', LECTERN_LIVEKIT_API_SECRET: 'a secret for this test alone' }

/** As the engine tells of a webinar's viewer. */
const permission = { canSubscribe: true }

export const startListingEngine = async (onSend: (channelId: string) => void = () => {}) => {
  const inside = new Map<string, Map<string, object>>()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const call = request.url?.split('/').at(-1) ?? ''
    const { room = '' } = call === 'ListParticipants' || call === 'SendData' ? JSON.parse(text) : {}
    if (call === 'SendData') onSend(room)
    const answers: Record<string, unknown> = {
      ListRooms: { rooms: [...inside.keys()].map(name => ({ name })) },
      ListParticipants: { participants: [...(inside.get(room)?.values() ?? [])] },
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers[call] ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closeAtTheEnd(() => {
    server.closeAllConnections()
    server.close()
  })

  let count = 0
  const tell = async (url: string, event: string, channelId: string, participant: object) => {
    const createdAt = String(Math.floor(Date.now() / 1000))
    const body = JSON.stringify({ event, id: `EV_${++count}`, createdAt, room: { name: channelId }, participant })
    const token = new AccessToken(KEY.LECTERN_LIVEKIT_API_KEY, KEY.LECTERN_LIVEKIT_API_SECRET)
    token.sha256 = createHash('sha256').update(body).digest('base64')
    const headers = { 'content-type': 'application/webhook+json', authorization: await token.toJwt() }
    const { status } = await fetch(`${url}/v1/media/events`, { method: 'POST', headers, body })
    if (status !== 200) throw new Error(`an event was answered ${status}`)
  }

  return {
    settings: {
      ...KEY,
      LECTERN_MEDIA: 'on',
      LECTERN_LIVEKIT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    async joined(url: string, channelId: string, identity: string) {
      const joinedAtMs = String(Date.now())
      const participant = { identity, sid: `PA_${++count}`, state: 'ACTIVE', joinedAtMs, permission }
      const channel = inside.get(channelId) ?? new Map()
      inside.set(channelId, channel.set(identity, participant))
      await tell(url, 'participant_joined', channelId, participant)
    },
    async left(url: string, channelId: string, identity: string) {
      const participant = inside.get(channelId)?.get(identity)
      inside.get(channelId)?.delete(identity)
      if (participant) await tell(url, 'participant_left', channelId, participant)
    },
  }
}
