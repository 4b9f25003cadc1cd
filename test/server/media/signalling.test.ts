import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { RoomServiceClient } from 'livekit-server-sdk'
import { beforeAll, expect, test } from 'vitest'
import { type Lectern, startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, knock, untilMedia } from '../../support/live.ts'

/* What browsers reach of the engine, and how. */

let lectern: Lectern
beforeAll(async () => {
  lectern = await startLectern({ LECTERN_MEDIA: 'on' })
  await untilMedia(lectern.url, 'ready', ENGINE_WITHIN_MS)
  return () => lectern.stop()
}, ENGINE_WITHIN_MS)

/** The status line of a request that asks for another protocol. */
const upgrade = async (path: string, headers: Record<string, string> = {}) => {
  const { hostname, port } = new URL(lectern.url)
  const socket = connect(Number(port), hostname)
  const lines = Object.entries({
    host: 'x',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  const [first] = (await new Promise<Buffer>(resolve => socket.once('data', resolve))).toString().split('\r\n')
  socket.destroy()
  return first
}

test('an address that is none does no harm', async () => {
  expect(await upgrade('//')).toMatch(/^HTTP\/1.1 4/)
  expect(await upgrade('/media/rtc')).toBe('HTTP/1.1 403 Forbidden')
  expect((await lectern.request('GET', '/healthz')).status).toBe(200)
})

test('who asks for a protocol elsewhere is answered as if they had not', async () => {
  expect(await upgrade('/healthz', { upgrade: 'h2c' })).toBe('HTTP/1.1 200 OK')
})

test('only the token that was checked reaches the engine', async () => {
  const owner = await lectern.user()
  const guest = await lectern.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space', isPublic: true })
  const room = async () => ({
    spaceId,
    roomId: (await owner.createRooms({ spaceId, name: 'Room', isPublic: true })).id,
  })
  const [closed, open] = [await room(), await room()]
  await enter(owner, closed)
  const barred = await knock(guest, closed)
  await owner.removeParticipant({ ...closed, participantId: barred.participantId })
  const allowed = await knock(guest, open)
  const path = '/media/rtc?protocol=15&access_token='
  expect(await upgrade(path + barred.mediaToken)).toBe('HTTP/1.1 403 Forbidden')
  for (const [address, headers] of [
    [path + allowed.mediaToken, { authorization: `Bearer ${barred.mediaToken}` }],
    [`${path}${allowed.mediaToken};&access_token=${barred.mediaToken}`, {}],
    [`${path}${allowed.mediaToken}&access_token=${barred.mediaToken}`, {}],
  ] as const)
    expect(await upgrade(address, headers)).toMatch(/ (101|401) /)
  // As the engine itself has it: signalling alone makes nobody part of a call.
  const { keys, port } = JSON.parse(readFileSync(join(lectern.config.data, 'livekit.yaml'), 'utf8'))
  const engine = new RoomServiceClient(`http://127.0.0.1:${port}`, 'lectern', keys.lectern)
  const { channelId } = await owner.getRoom(closed)
  expect((await engine.listParticipants(channelId)).map(({ name }) => name)).toEqual([owner.username])
})

test('the service stops while people are connected', async () => {
  const service = await startLectern({ LECTERN_MEDIA: 'on' })
  await untilMedia(service.url, 'ready')
  const owner = await service.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
  await enter(owner, { spaceId, roomId })
  await service.stop()
  await expect(fetch(service.url)).rejects.toThrow()
})
