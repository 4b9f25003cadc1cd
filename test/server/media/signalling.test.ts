import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RoomServiceClient } from 'livekit-server-sdk'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { admitted } from '../../support/admitted.ts'
import { type Lectern, startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, knock, untilMedia } from '../../support/live.ts'
import { dial, upgradeRequest } from '../../support/sockets.ts'

/* What browsers reach of the engine, and how. */

let lectern: Lectern
beforeAll(async () => {
  lectern = await startLectern({ LECTERN_MEDIA: 'on' })
  await untilMedia(lectern.url, 'ready', ENGINE_WITHIN_MS)
}, ENGINE_WITHIN_MS)

/** The status line of a request that asks for another protocol. */
const upgrade = async (path: string, headers: Record<string, string> = {}) => {
  const socket = await dial(lectern.url)
  socket.write(upgradeRequest(path, headers))
  const [first] = (await new Promise<Buffer>(resolve => socket.once('data', resolve))).toString().split('\r\n')
  socket.destroy()
  return first
}

/** Asks the engine itself. */
const engineOf = ({ config }: Lectern) => {
  const { keys, port } = JSON.parse(readFileSync(join(config.data, 'livekit.yaml'), 'utf8'))
  return new RoomServiceClient(`http://127.0.0.1:${port}`, 'lectern', keys.lectern)
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
  const banned = await knock(guest, closed)
  await owner.removeParticipant({ ...closed, participantId: banned.participantId })
  const allowed = await knock(guest, open)
  const path = '/media/rtc?protocol=15&access_token='
  expect(await upgrade(path + banned.mediaToken)).toBe('HTTP/1.1 403 Forbidden')
  for (const [address, headers] of [
    [path + allowed.mediaToken, { authorization: `Bearer ${banned.mediaToken}` }],
    [`${path}${allowed.mediaToken};&access_token=${banned.mediaToken}`, {}],
    [`${path}${allowed.mediaToken}&access_token=${banned.mediaToken}`, {}],
  ] as const)
    expect(await upgrade(address, headers)).toMatch(/ (101|401) /)
  // As the engine itself has it: signalling alone makes nobody part of a call.
  const { channelId } = await owner.getRoom(closed)
  expect((await engineOf(lectern).listParticipants(channelId)).map(({ name }) => name)).toEqual([owner.username])
})

describe('what a client says of itself', () => {
  const encode = (field: number, value: string | Uint8Array) => {
    const bytes = Buffer.from(value)
    return Buffer.from([(field << 3) | 2, bytes.length, ...bytes])
  }
  /** As clients of today send it: protobuf in protobuf in base64. */
  const joinRequest = (...fields: Uint8Array[]) =>
    `join_request=${encode(2, Buffer.concat(fields)).toString('base64').replaceAll('+', '-').replaceAll('/', '_')}`

  const open = async (door: string, query: string) => {
    const socket = new WebSocket(`${lectern.url.replace(/^http/, 'ws')}/media${door}?${query}`)
    onTestFinished(() => socket.close())
    await new Promise((resolve, reject) => {
      socket.addEventListener('message', resolve, { once: true })
      socket.addEventListener('error', () => reject(new Error('refused')), { once: true })
    })
    return socket
  }
  const arrive = async () => {
    const person = await lectern.user()
    const { id: spaceId } = await person.createSpaces({ name: 'Space' })
    const { id: roomId } = await person.createRooms({ spaceId, name: 'Room' })
    const { mediaToken, participantId } = admitted(await person.joinRoom({ spaceId, roomId }))
    const { channelId } = await person.getRoom({ spaceId, roomId })
    const inside = () => engineOf(lectern).listParticipants(channelId)
    return { token: `access_token=${mediaToken}`, participantId, inside }
  }
  const attributes = `attributes=${Buffer.from('{"role":"teacher"}').toString('base64url')}`

  test.each([
    ['/rtc', 'publish=x'],
    ['/rtc', 'publish=x&protocol=15&sdk=js&publish=y'],
    ['/rtc', `${attributes}&auto_subscribe=1`],
    ['/rtc/v1', `publish=x&${attributes}&${joinRequest()}`],
  ])('makes nobody another: %s?%s', async (door, query) => {
    const { inside, participantId, token } = await arrive()
    await open(door, `${token}&${query}`)
    const people = await inside()
    expect(people.map(({ attributes, identity, metadata }) => ({ attributes, identity, metadata }))).toEqual([
      { identity: participantId, attributes: {}, metadata: '' },
    ])
  })

  test('goes no further in a join request', async () => {
    const { inside, token } = await arrive()
    const metadata = joinRequest(encode(3, 'teacher'))
    const named = joinRequest(encode(4, Buffer.concat([encode(1, 'role'), encode(2, 'teacher')])))
    for (const query of [metadata, named])
      for (const door of ['/media/rtc', '/media/rtc/v1'])
        expect(await upgrade(`${door}?${token}&${query}`)).toBe('HTTP/1.1 401 Unauthorized')
    expect(await inside()).toEqual([])
    expect(await upgrade(`/media/rtc/v1?${token}&${joinRequest()}`)).toBe('HTTP/1.1 101 Switching Protocols')
  })

  test.each([
    ['/rtc', (sid: string) => `protocol=15&reconnect=1&reconnect_reason=1&sid=${sid}`],
    ['/rtc/v1', (sid: string) => joinRequest(Buffer.from([7 << 3, 1]), encode(9, sid))],
  ])('lets it go on where it was: %s', async (door, again) => {
    const { inside, participantId, token } = await arrive()
    await open(door, door === '/rtc' ? `${token}&protocol=15` : `${token}&${joinRequest()}`)
    const [before] = await inside()
    await open(door, `${token}&${again(before?.sid ?? '')}`)
    // Who comes without saying so is another, under another id.
    expect((await inside()).map(({ identity, sid }) => ({ identity, sid }))).toEqual([
      { identity: participantId, sid: before?.sid },
    ])
  })
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
