import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AccessToken } from 'livekit-server-sdk'
import { admitted } from '../test/support/admitted.ts'
import { residentMemory, startLectern, temporaryFolder } from './processes.ts'

const PEOPLE = 500
const AT_MOST_MB = 20
const KEY = { LECTERN_LIVEKIT_API_KEY: 'bench', LECTERN_LIVEKIT_API_SECRET: 'a secret for the benchmark alone' }

interface Presence {
  identity: string
  sid: string
  state: string
  joinedAtMs: string
  permission: object
}

/** As the engine tells of those with the rights of a lesson. */
const permission = {
  canSubscribe: true,
  canPublish: true,
  canPublishSources: ['CAMERA', 'MICROPHONE', 'SCREEN_SHARE', 'SCREEN_SHARE_AUDIO'],
}

/** Until calls have been compared with the engine's listing, and what starting took has been given back. */
const REST_MS = 32_000

/** What the service asks an engine, answered from memory: as many are in its rooms as it is told. */
const startListing = async () => {
  const rooms = new Map<string, Presence[]>()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { room = '' } = JSON.parse(text || '{}') as { room?: string }
    const answers: Record<string, unknown> = {
      ListRooms: { rooms: [...rooms.keys()].map(name => ({ name })) },
      ListParticipants: { participants: rooms.get(room) ?? [] },
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers[request.url?.split('/').at(-1) ?? ''] ?? {}))
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  return { rooms, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() }
}

/** What a call of five hundred adds to the service, told of by signed events and found in the engine's listing. */
export const benchCrowd = async (): Promise<boolean> => {
  const engine = await startListing()
  const lectern = await startLectern(temporaryFolder(), {
    ...KEY,
    LECTERN_MEDIA: 'on',
    LECTERN_LIVEKIT_URL: engine.url,
    LECTERN_LOG_LEVEL: 'warn',
  })
  const { client } = lectern
  const { id: spaceId } = await client.createSpaces({ name: 'Bench' })

  const tell = async (event: object) => {
    const body = JSON.stringify(event)
    const token = new AccessToken(KEY.LECTERN_LIVEKIT_API_KEY, KEY.LECTERN_LIVEKIT_API_SECRET)
    token.sha256 = createHash('sha256').update(body).digest('base64')
    const headers = { 'content-type': 'application/webhook+json', authorization: await token.toJwt() }
    const { status } = await fetch(`${lectern.url}/v1/media/events`, { method: 'POST', headers, body })
    if (status !== 200) throw new Error(`an event was answered ${status}`)
  }
  let count = 0
  const hold = async (people: number) => {
    const at = { spaceId, roomId: (await client.createRooms({ spaceId, name: 'Room' })).id }
    const { channelId } = await client.getRoom(at)
    const inside: Presence[] = []
    engine.rooms.set(channelId, inside)
    for (let n = 0; n < people; n++) {
      const { participantId, mediaUrl, mediaToken } = admitted(await client.joinRoom(at))
      // Knocks, as connecting would: from then on the participant is known.
      await fetch(`${mediaUrl.replace(/^ws/, 'http')}/rtc/validate?access_token=${mediaToken}`)
      const joinedAtMs = String(Date.now())
      const participant = { identity: participantId, sid: `PA_${++count}`, state: 'ACTIVE', joinedAtMs, permission }
      inside.push(participant)
      const createdAt = String(Math.floor(Date.now() / 1000))
      await tell({ event: 'participant_joined', id: `EV_${count}`, createdAt, room: { name: channelId }, participant })
    }
    if ((await client.getLiveCall(at)).participantCount !== people) throw new Error('not everyone is there')
    return at
  }

  // A service that has been in use: what serving so many costs is loaded and compiled, and their call is over.
  await client.endCall(await hold(PEOPLE))
  engine.rooms.clear()
  await sleep(REST_MS)
  const before = residentMemory(lectern.child)
  const at = await hold(PEOPLE)
  for (let reads = 0; reads < 50; reads++) await client.getLiveCall(at)
  await sleep(REST_MS)
  const grown = residentMemory(lectern.child) - before
  if ((await client.getLiveCall(at)).participantCount !== PEOPLE) throw new Error('not everyone has stayed')
  await lectern.stop()
  engine.stop()
  const verdict = grown <= AT_MOST_MB
  console.log(
    `${verdict ? 'ok  ' : 'HIGH'} memory for a call of ${PEOPLE}: ${grown.toFixed(0)} MB more than without (at most ${AT_MOST_MB})`,
  )
  return verdict
}
