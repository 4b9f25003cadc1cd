import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { callsByHand } from '../../support/calls.ts'
import { type Cast, createCast, tokenOf } from '../../support/cast.ts'
import { isOneNode, type Lectern, refusal, startLectern } from '../../support/lectern.ts'
import { recorderByHand } from '../../support/recorder.ts'
import { streamerByHand } from '../../support/streamer.ts'

/* The browser and ffmpeg stand behind `Streamer`: test/server/streaming has the real ones. */

let lectern: Lectern
let cast: Cast
let byHand: Awaited<ReturnType<typeof callsByHand>>
let hand: ReturnType<typeof streamerByHand>
const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'))

beforeAll(async () => {
  hand = streamerByHand()
  lectern = await startLectern(
    { LECTERN_CALL_GRACE: '3600', LECTERN_RECORDERS: '2', LECTERN_RECORDS: folder },
    { streamer: hand.streamer, recorder: recorderByHand().recorder },
  )
  cast = await createCast(lectern)
  byHand = await callsByHand(lectern)
})

beforeEach(() => {
  hand.state.trouble = null
})

/** Each test has all places for itself. */
afterEach(async () => {
  await byHand.db.updateTable('streams').set({ stopAt: Date.now() }).where('stopAt', 'is', null).execute()
  await vi.waitFor(async () => {
    const open = await byHand.db.selectFrom('streams').select('id').where('endedAt', 'is', null).execute()
    expect(open).toEqual([])
  }, within)
})

type At = { spaceId: string; roomId: string }
type Draft = Omit<Parameters<Client['createRooms']>[0], 'spaceId' | 'name'>
const within = { timeout: 15_000, interval: 50 }

const openRoom = async (draft: Draft = {}): Promise<At> => {
  const { id: roomId } = await cast.owner.createRooms({ spaceId: cast.spaceId, name: 'Algebra', ...draft })
  return { spaceId: cast.spaceId, roomId }
}

const enter = async (at: At, userId = cast.owner.id) => {
  const presence = await byHand.join(at.roomId, { userId })
  await byHand.tell('joined', at.roomId, presence)
  return presence
}

const openCall = async (draft: Draft = {}) => {
  const at = await openRoom({ isPublic: true, ...draft })
  await enter(at)
  return { at, callId: (await cast.owner.getLiveCall(at)).id }
}

const untilGoing = (callId: string) => vi.waitFor(() => expect(hand.going.has(callId)).toBe(true), within)

/** A call that is streamed, with some segments. */
const openStream = async (
  { texts = ['one', 'two'], url }: { texts?: string[]; url?: string } = {},
  draft: Draft = {},
) => {
  const { at, callId } = await openCall(draft)
  const { id } = await cast.owner.startStream({ ...at, ...(url && { url }) })
  await untilGoing(callId)
  for (const text of texts) await hand.add(callId, text)
  return { at, callId, id }
}

const playlist = async (url: string) => {
  const response = await fetch(url)
  const body = await response.text()
  const lines = body.split('\n')
  return { status: response.status, headers: response.headers, body, paths: lines.filter(line => line.startsWith('/')) }
}

const texts = async (url: string) => {
  const { paths } = await playlist(url)
  return Promise.all(paths.map(async path => (await fetch(lectern.url + path)).text()))
}

const filesOf = (id: string) => readdirSync(folder).filter(name => name.startsWith(id))

const guestOf = async (at: At, options: Partial<Parameters<Client['generateAccess']>[0]> = {}) => {
  const accessToken = tokenOf(await cast.owner.generateAccess({ ...at, role: 'user', username: 'Grace', ...options }))
  return { accessToken, client: lectern.withToken((await lectern.anonymous.redeemAccess({ accessToken })).guestToken) }
}

test('a call is streamed, which everyone sees, and watched by those who can join', async () => {
  const { at, callId } = await openCall()
  expect((await cast.member.getLiveCall(at)).stream).toBeNull()
  expect(await refusal(cast.member.watchStream(at))).toEqual([404, 'no_stream'])
  const started = await cast.owner.startStream(at)
  expect(started).toMatchObject({ state: 'starting', startedAt: null, viewerCount: 0, target: null })
  expect(await refusal(cast.owner.startStream(at))).toEqual([409, 'already_streaming'])
  expect(await refusal(cast.member.watchStream(at))).toEqual([404, 'no_stream'])
  await untilGoing(callId)
  await hand.add(callId, 'one')
  await hand.add(callId, 'two', 2150)
  const { stream } = await cast.member.getLiveCall(at)
  expect(stream).toMatchObject({ id: started.id, state: 'live', startedAt: expect.any(String) })

  const guest = await guestOf(at, { isPermanent: true })
  const alias = (await cast.owner.getRoom(at)).alias
  expect((await cast.member.getRoomByAlias({ alias })).isStreamed).toBe(true)
  expect((await lectern.anonymous.getRoomByAlias({ alias })).isStreamed).toBe(false)
  expect((await lectern.anonymous.inspectAccess({ accessToken: guest.accessToken })).isStreamed).toBe(true)

  const watched = await cast.member.watchStream(at)
  expect(watched).toMatchObject({ id: started.id, startedAt: stream?.startedAt })
  const { status, headers, body, paths } = await playlist(watched.playlistUrl)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/vnd.apple.mpegurl'])
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body.replaceAll(/\?.*/g, '').split('\n')).toEqual([
    '#EXTM3U',
    '#EXT-X-VERSION:3',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    '#EXT-X-TARGETDURATION:2',
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-DISCONTINUITY-SEQUENCE:0',
    '#EXTINF:2.000,',
    `/v1/streams/${started.id}/segments/0.ts`,
    '#EXTINF:2.150,',
    `/v1/streams/${started.id}/segments/1.ts`,
    '',
  ])
  expect(await texts(watched.playlistUrl)).toEqual(['one', 'two'])
  const segment = await fetch(lectern.url + paths[0])
  expect(segment.headers.get('content-type')).toBe('video/mp2t')
  const [, age] = /^public, max-age=(\d+), immutable$/.exec(segment.headers.get('cache-control') ?? '') ?? []
  expect(Number(age)).toBeLessThanOrEqual(60)
  // The same for all, so that it can be kept in between.
  const { playlistUrl } = await guest.client.watchStream(at)
  expect((await playlist(playlistUrl)).paths).toEqual(paths)
  // A node tells of its viewers every ten seconds.
  lectern.advance(11_000)
  const count = async () => (await cast.owner.getLiveCall(at)).stream?.viewerCount
  await vi.waitFor(async () => expect(await count()).toBe(2), within)
  lectern.advance(16_000)
  await vi.waitFor(async () => expect(await count()).toBe(0), within)
  lectern.advance(-27_000)
  // They are no participants.
  expect((await cast.owner.getLiveCall(at)).participantCount).toBe(1)

  await cast.owner.stopStream(at)
  expect((await cast.owner.getLiveCall(at)).stream).toBeNull()
  expect(await refusal(cast.owner.stopStream(at))).toEqual([409, 'not_streaming'])
  expect(await refusal(cast.member.watchStream(at))).toEqual([404, 'no_stream'])
  // Players come to the end of what there is.
  await vi.waitFor(async () => expect((await playlist(watched.playlistUrl)).body).toContain('#EXT-X-ENDLIST'), within)
  expect(await texts(watched.playlistUrl)).toEqual(['one', 'two'])
  expect(filesOf(started.id)).toHaveLength(2)
})

test('who may: moderators stream, also guests who moderate', async () => {
  const { at, callId } = await openCall()
  for (const other of [cast.member, cast.moderator])
    expect(await refusal(other.startStream(at))).toEqual([403, 'not_allowed'])
  const { client: guest } = await guestOf(at, { role: 'moderator' })
  await guest.startStream(at)
  await untilGoing(callId)
  expect(await refusal(cast.member.stopStream(at))).toEqual([403, 'not_allowed'])
  await cast.owner.stopStream(at)
  await vi.waitFor(() => expect(hand.going.has(callId)).toBe(false), within)
})

describe('is refused', () => {
  test('without a call, when it is not set up, and leaves nothing', async () => {
    expect(await refusal(cast.owner.startStream(await openRoom()))).toEqual([404, 'no_call'])
    const { at } = await openCall()
    hand.state.trouble = 'Install Chromium.'
    await expect(cast.owner.startStream(at)).rejects.toMatchObject({
      code: 'recorder_off',
      message: 'Install Chromium.',
    })
    expect((await cast.owner.getLiveCall(at)).stream).toBeNull()
  })

  test('when all recorders are busy, but not for a call that is recorded already', async () => {
    const nodes = isOneNode ? 1 : 2
    const calls = []
    for (let count = 0; count < 2 * nodes; count++) calls.push(await openCall())
    for (const { at } of calls) await cast.owner.startRecord(at)
    const { at: another } = await openCall()
    expect(await refusal(cast.owner.startStream(another))).toEqual([503, 'recorder_busy'])
    for (const { at } of calls) await cast.owner.startStream(at)
    for (const { at } of calls) {
      await cast.owner.stopRecord(at)
      await cast.owner.stopStream(at)
    }
    await vi.waitFor(() => cast.owner.startStream(another), within)
  })

  test.each([
    'http://live.example/app/key',
    'rtmp://live.example/key',
    'rtmp://me:pw@live.example/app/key',
    'rtmp:///app/key',
  ])('with the address %s', async url => {
    const { at } = await openCall()
    const { errors } = await cast.owner.startStream({ ...at, url }).catch(error => error)
    expect(errors).toMatchObject([{ path: '/url', code: 'pattern' }])
  })

  test.each([
    'rtmp://127.0.0.1/app/key',
    'rtmps://localhost/app/key',
    'rtmp://[::1]/app/key',
    'rtmp://10.1.2.3:1935/app/key',
  ])('with the private address %s', async url => {
    const { at } = await openCall()
    expect(await refusal(cast.owner.startStream({ ...at, url }))).toEqual([400, 'address_not_allowed'])
    expect((await cast.owner.getLiveCall(at)).stream).toBeNull()
  })
})

test('an RTMP address gets to the streamer, and nowhere else', async () => {
  const url = 'rtmps://live.example.com/app/very-secret-key'
  const { at, callId, id } = await openStream({ url })
  expect(hand.going.get(callId)?.url).toBe(url)
  const { stream } = await cast.owner.getLiveCall(at)
  expect(stream?.target).toEqual({ host: 'live.example.com', state: 'connecting' })
  hand.going.get(callId)?.onTarget('live')
  await vi.waitFor(async () => expect((await cast.owner.getLiveCall(at)).stream?.target?.state).toBe('live'), within)
  const row = () => byHand.db.selectFrom('streams').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect(JSON.stringify(await row())).not.toContain('secret')
  const { items } = await cast.owner.listSpaceAudit({ spaceId: at.spaceId, action: 'stream.started' })
  expect(items[0]).toMatchObject({ target: { type: 'stream', id }, details: { host: 'live.example.com' } })
  expect(JSON.stringify(items)).not.toContain('secret')
  await cast.owner.stopStream(at)
  expect((await row()).sealedUrl).toBeNull()
})

describe('a playlist', () => {
  test('is for its viewer, its stream and its time alone; a segment likewise', async () => {
    const { at } = await openStream()
    const other = await openStream()
    const { playlistUrl, expiresAt } = await cast.member.watchStream(at)
    const { paths } = await playlist(playlistUrl)
    const changed = (from: string, change: (to: URL) => void) => {
      const to = new URL(from, lectern.url)
      change(to)
      return String(to)
    }
    const segment = paths[0] ?? ''
    const attempts = [
      changed(playlistUrl, to => to.searchParams.set('signature', 'A'.repeat(43))),
      changed(playlistUrl, to => to.searchParams.delete('signature')),
      changed(playlistUrl, to => to.searchParams.set('expires', String(Date.parse(expiresAt) + 1))),
      changed(playlistUrl, to => to.searchParams.set('viewer', `user.${other.id}`)),
      changed(playlistUrl, to => (to.pathname = to.pathname.replace(/[\da-f-]{36}/, other.id))),
      changed(segment, to => to.searchParams.set('signature', 'A'.repeat(43))),
      changed(segment, to => to.searchParams.set('expires', '99999999999999')),
      changed(segment, to => (to.pathname = to.pathname.replace('/0.ts', '/1.ts'))),
      changed(segment, to => (to.pathname = to.pathname.replace(/[\da-f-]{36}/, other.id))),
      changed(segment, to => (to.pathname = to.pathname.replace('/0.ts', '/..%2f0.ts'))),
    ]
    for (const attempt of attempts) expect([attempt, (await fetch(attempt)).status]).toEqual([attempt, 404])
    lectern.advance(61_000)
    expect((await fetch(lectern.url + segment)).status).toBe(404)
    lectern.advance(-61_000)
    expect((await fetch(lectern.url + segment)).status).toBe(200)
    lectern.advance(13 * 3600_000)
    expect((await fetch(playlistUrl)).status).toBe(404)
    lectern.advance(-13 * 3600_000)
  })

  test('is refused like joining: to who was removed, must wait, or comes to a locked room', async () => {
    const { at } = await openStream()
    const stranger = await lectern.user()
    const refused = async (client: Client) => (await refusal(client.watchStream(at)))[1]
    await cast.owner.updateRoom({ ...at, isPublic: false })
    expect(await refused(cast.member)).toBe('role_required')
    await cast.owner.updateRoom({ ...at, isPublic: true, isLocked: true })
    expect(await refused(cast.member)).toBe('room_locked')
    await cast.owner.updateRoom({ ...at, isLocked: false, waitingRoomAudience: 'everyone' })
    expect(await refused(cast.member)).toBe('not_admitted')
    expect(await refused(stranger)).toBe('not_found')
    await cast.owner.watchStream(at)
  })

  test('ends within a minute for who was banned, lost access, or came by a link that has ended', async () => {
    const { at } = await openStream()
    const { client } = await guestOf(at)
    const [member, guest] = [await cast.member.watchStream(at), await client.watchStream(at)]
    for (const { playlistUrl } of [member, guest]) expect((await playlist(playlistUrl)).status).toBe(200)
    const presence = await enter(at, cast.member.id)
    await cast.owner.removeParticipant({ ...at, participantId: presence.participantId })
    const { items } = await cast.owner.listLinks(at)
    await cast.owner.revokeLink({ ...at, linkId: items[0]?.id ?? '' })
    const answers = async () =>
      Promise.all(
        [member, guest].map(async ({ playlistUrl }) => {
          const { status, body } = await playlist(playlistUrl)
          return status === 200 ? 200 : JSON.parse(body).code
        }),
      )
    // What was found is good for 20 seconds.
    lectern.advance(20_000)
    expect(await answers()).toEqual(['removed', 'token_invalid'])
    lectern.advance(-20_000)
  })
})

test('segments are listed for a while, kept a little longer, and then gone', async () => {
  const { at, callId, id } = await openStream({ texts: Array.from({ length: 8 }, (_, index) => `segment ${index}`) })
  const { playlistUrl } = await cast.member.watchStream(at)
  expect(await texts(playlistUrl)).toEqual(Array.from({ length: 6 }, (_, index) => `segment ${index + 2}`))
  expect((await playlist(playlistUrl)).body).toContain('#EXT-X-MEDIA-SEQUENCE:2')
  expect(filesOf(id)).toHaveLength(8)
  lectern.advance(31_000)
  await hand.add(callId, 'segment 8')
  // The last that was listed is still fetched.
  expect(filesOf(id)).toHaveLength(7)
  lectern.advance(-31_000)
  await cast.owner.stopStream(at)
  await vi.waitFor(async () => expect((await playlist(playlistUrl)).body).toContain('ENDLIST'), within)
  lectern.advance(31_000)
  await vi.waitFor(() => expect(filesOf(id)).toEqual([]), within)
  await vi.waitFor(async () => expect((await playlist(playlistUrl)).status).toBe(410), within)
  lectern.advance(-31_000)
})

describe('goes on', () => {
  test('after a gap when what streams is lost', async () => {
    const { at, callId, id } = await openStream()
    const { playlistUrl } = await cast.member.watchStream(at)
    for (let lost = 0; lost < 2; lost++) {
      hand.going.get(callId)?.end(false)
      await untilGoing(callId)
    }
    await hand.add(callId, 'three')
    await vi.waitFor(async () => expect(await texts(playlistUrl)).toEqual(['one', 'two', 'three']), within)
    expect((await playlist(playlistUrl)).body.split('#EXT-X-DISCONTINUITY\n')[1]).toMatch(/^#EXTINF.*\n\S*\/2\.ts/)
    // One gap, however often it was lost: the number of gaps before a segment never changes (RFC 8216 §6.2.2).
    const { segments } = await byHand.db
      .selectFrom('streams')
      .select('segments')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(JSON.parse(segments).map(({ part }: { part: number }) => part)).toEqual([0, 0, 1])
  })

  test('on another node when the one that had it is gone, without what it left', async () => {
    const { at, callId, id } = await openStream({ url: 'rtmps://live.example.com/app/key' })
    const first = hand.going.get(callId)
    const targetIs = (state: string) =>
      vi.waitFor(async () => expect((await cast.owner.getLiveCall(at)).stream?.target?.state).toBe(state), within)
    first?.onTarget('live')
    await targetIs('live')
    // As if by a node that is no more: the one here notices that it has lost it.
    await byHand.db.updateTable('streams').set({ workerId: 'gone', leaseUntil: 0 }).where('id', '=', id).execute()
    await vi.waitFor(() => expect([undefined, first]).not.toContain(hand.going.get(callId)), within)
    await targetIs('connecting')
    await hand.add(callId, 'three')
    const { playlistUrl } = await cast.member.watchStream(at)
    expect(await texts(playlistUrl)).toEqual(['one', 'two', 'three'])
  })
})

describe('ends', () => {
  const untilEnded = (callId: string) => vi.waitFor(() => expect(hand.going.has(callId)).toBe(false), within)

  test('with the call', async () => {
    const { at, callId } = await openStream()
    await cast.owner.endCall(at)
    await untilEnded(callId)
  })

  test('when nobody is there for half a minute', async () => {
    const { at, callId } = await openStream()
    await byHand.db
      .updateTable('calls')
      .set({ emptySince: Date.now() - 31_000 })
      .where('id', '=', callId)
      .execute()
    await untilEnded(callId)
    await vi.waitFor(async () => expect((await cast.owner.getLiveCall(at)).stream).toBeNull(), within)
  })

  test('with its room, and leaves no segment', async () => {
    const { at, callId, id } = await openStream()
    await cast.owner.deleteRoom(at)
    await untilEnded(callId)
    await vi.waitFor(async () => {
      const { endedAt } = await byHand.db
        .selectFrom('streams')
        .select('endedAt')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      expect(endedAt).not.toBeNull()
    }, within)
    lectern.advance(31_000)
    await vi.waitFor(() => expect(filesOf(id)).toEqual([]), within)
    lectern.advance(-31_000)
  })

  test('when it is lost again and again', async () => {
    const { at, callId } = await openStream({ texts: [] })
    const lose = setInterval(() => hand.going.get(callId)?.end(false), 50)
    await vi.waitFor(async () => expect((await cast.owner.getLiveCall(at)).stream).toBeNull(), within)
    clearInterval(lose)
  })
})

test('of many who start at once one does', async () => {
  const { at } = await openCall()
  const results = await Promise.all(
    Array.from({ length: 8 }, () =>
      cast.owner.startStream(at).then(
        () => 'streaming',
        error => error.code,
      ),
    ),
  )
  expect(results.filter(result => result === 'streaming')).toHaveLength(1)
  expect(results.filter(result => result === 'already_streaming')).toHaveLength(7)
})
