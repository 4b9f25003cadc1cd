import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { createSweep } from '../../../server/store/housekeeping.ts'
import { callsByHand } from '../../support/calls.ts'
import { type Cast, createCast, DAY, refusals, tokenOf } from '../../support/cast.ts'
import { isOneNode, type Lectern, refusal, startLectern } from '../../support/lectern.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { recorderByHand } from '../../support/recorder.ts'

/* The browser and ffmpeg stand behind `Recorder`: test/server/recording has the real ones. */

let lectern: Lectern
let cast: Cast
let byHand: Awaited<ReturnType<typeof callsByHand>>
let hand: ReturnType<typeof recorderByHand>
let receiver: Receiver
const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'))

beforeAll(async () => {
  hand = recorderByHand()
  writeFileSync(hand.fileOf('forgotten'), 'captured')
  receiver = await startReceiver()
  lectern = await startLectern(
    {
      LECTERN_CALL_GRACE: '3600',
      LECTERN_RECORDERS: '2',
      LECTERN_RECORDS: folder,
      LECTERN_RECORD_QUOTA_GB: '1',
      LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
    },
    { recorder: hand.recorder },
  )
  cast = await createCast(lectern)
  byHand = await callsByHand(lectern)
  await cast.owner.createWebhook({ spaceId: cast.spaceId, url: receiver.url })
  const events = ['record_started', 'record_finished', 'record_aborted', 'record_failed'] as const
  await cast.owner.setWebhookEvents({ spaceId: cast.spaceId, events: [...events] })
})

beforeEach(() => {
  Object.assign(hand.state, {
    trouble: null,
    isQuick: true,
    isSlow: false,
    size: 1000,
    failures: 0,
    gate: Promise.resolve(),
  })
})

type At = { spaceId: string; roomId: string }
type Draft = Omit<Parameters<Client['createRooms']>[0], 'spaceId' | 'name'>

const enter = async (at: At, userId = cast.owner.id) => {
  const presence = await byHand.join(at.roomId, { userId })
  await byHand.tell('joined', at.roomId, presence)
  return presence
}

const openRoom = async (draft: Draft = {}): Promise<At> => {
  const { id: roomId } = await cast.owner.createRooms({ spaceId: cast.spaceId, name: 'Алгебра: 1/2', ...draft })
  return { spaceId: cast.spaceId, roomId }
}

const openCall = async (draft: Draft = {}): Promise<At> => {
  const at = await openRoom(draft)
  await enter(at)
  return at
}

const untilState = (at: At, recordId: string, state: string) =>
  vi.waitFor(
    async () => {
      const record = await cast.owner.getRecord({ ...at, recordId })
      expect(record.state).toBe(state)
      return record
    },
    { timeout: 10_000, interval: 50 },
  )

/** Of a room that records its calls. */
const untilFirst = async (at: At, state: string) => {
  const { id } = await vi.waitFor(
    async () => {
      const [first] = (await cast.owner.listRecords(at)).items
      expect(first).toBeDefined()
      return first as NonNullable<typeof first>
    },
    { timeout: 10_000, interval: 50 },
  )
  return untilState(at, id, state)
}

const eventsOf = (recordId: string) =>
  receiver.callbacks
    .map(({ raw }) => JSON.parse(raw).body as Record<string, string>)
    .filter(body => body.recordId === recordId)
    .map(({ eventName }) => eventName)

const untilEvents = (recordId: string, events: string[]) =>
  vi.waitFor(() => expect(eventsOf(recordId)).toEqual(events), { timeout: 10_000, interval: 50 })

/** Recorded and stopped. */
const recorded = async (at: At) => {
  const { id } = await cast.owner.startRecord(at)
  await untilState(at, id, 'recording')
  await cast.owner.stopRecord(at)
  return untilState(at, id, 'ready')
}

test('a call is recorded, which everyone in it sees, and can then be downloaded', async () => {
  const at = await openCall({ isPublic: true })
  expect((await cast.member.getLiveCall(at)).record).toBeNull()
  const { id, state, callId } = await cast.owner.startRecord(at)
  expect(state).toBe('starting')
  expect(callId).toBe((await cast.owner.getLiveCall(at)).id)
  const going = await untilState(at, id, 'recording')
  expect(going).toMatchObject({ endedAt: null, isDownloadable: false, durationSeconds: null })
  expect((await cast.member.getLiveCall(at)).record).toMatchObject({
    id,
    state: 'recording',
    startedAt: going.startedAt,
  })
  expect(await refusal(cast.owner.startRecord(at))).toEqual([409, 'already_recording'])
  expect(await refusal(cast.owner.downloadRecord({ ...at, recordId: id }))).toEqual([409, 'record_not_ready'])

  // Asked more than once, it stops once.
  await Promise.allSettled(Array.from({ length: 5 }, () => cast.owner.stopRecord(at)))
  const ready = await untilState(at, id, 'ready')
  const { items: stops } = await cast.owner.listSpaceAudit({ spaceId: at.spaceId, action: 'record.stopped' })
  expect(stops.filter(({ target }) => target.id === id)).toHaveLength(1)
  const text = `Recording ${id}`
  expect(ready).toMatchObject({ reason: null, durationSeconds: 61, size: text.length, isDownloadable: true })
  expect((await cast.member.getLiveCall(at)).record).toBeNull()
  expect(await refusal(cast.owner.stopRecord(at))).toEqual([409, 'not_recording'])
  expect((await cast.owner.listRecords(at)).items).toEqual([ready])
  await untilEvents(id, ['record_started', 'record_finished'])
  const [body] = receiver.callbacks.map(({ raw }) => JSON.parse(raw).body).filter(({ recordId }) => recordId === id)
  expect(body).toEqual({
    eventName: 'record_started',
    roomId: at.roomId,
    spaceId: at.spaceId,
    callId,
    recordId: id,
    occurredAt: expect.any(String),
  })
  // Another one of the same call.
  expect((await recorded(at)).id).not.toBe(id)
})

test('people are told before they join, unless they may not', async () => {
  const noticeOf = async ({ spaceId, roomId }: At, by: Client) => {
    const { alias } = await cast.owner.getRoom({ spaceId, roomId })
    return (await by.getRoomByAlias({ alias })).recording
  }
  const at = await openRoom({ isPublic: true })
  const accessToken = tokenOf(await cast.owner.generateAccess({ ...at, role: 'user', username: 'Grace' }))
  const notices = async () => [
    await noticeOf(at, cast.member),
    (await lectern.anonymous.inspectAccess({ accessToken })).recording,
    await noticeOf(at, lectern.anonymous),
  ]
  expect(await notices()).toEqual([null, null, null])
  await cast.owner.updateRoom({ ...at, isAutoRecordingAllowed: true })
  expect(await notices()).toEqual(['from_start', 'from_start', null])
  await cast.owner.updateRoom({ ...at, isRecordAllowed: false })
  expect(await notices()).toEqual([null, null, null])
  await cast.owner.updateRoom({ ...at, isRecordAllowed: true })
  await enter(at)
  expect(await notices()).toEqual(['now', 'now', null])
  // The call goes on without being recorded.
  await cast.owner.stopRecord(at)
  await vi.waitFor(async () => expect(await notices()).toEqual([null, null, null]), { timeout: 10_000, interval: 50 })
})

test('recordings are listed by call, with a picture each', async () => {
  const at = await openCall()
  const record = await recorded(at)
  const ofCall = (callId: string) => cast.owner.listRecords({ ...at, callId })
  expect((await ofCall(record.callId)).items).toEqual([record])
  expect((await ofCall(record.id)).items).toEqual([])

  const url = record.pictureUrl ?? ''
  const picture = await fetch(url)
  expect([picture.headers.get('content-type'), await picture.text()]).toEqual(['image/jpeg', `Picture of ${record.id}`])
  // Its link is good for nothing else, nor for ever.
  expect((await fetch(url.replace('/picture', '/file'))).status).toBe(404)
  lectern.advance(2 * 3600_000)
  expect((await fetch(url)).status).toBe(404)
  lectern.advance(-2 * 3600_000)
  await cast.owner.deleteRecord({ ...at, recordId: record.id })
  await vi.waitFor(() => expect(readdirSync(folder).filter(name => name.startsWith(record.id))).toEqual([]), 10_000)
})

test('the operator sees what all recordings take', async () => {
  const before = (await lectern.operator.getStatus()).records
  const { size } = await recorded(await openCall())
  const after = (await lectern.operator.getStatus()).records
  expect(after).toEqual({ count: before.count + 1, size: before.size + size })
})

describe('a download', () => {
  let at: At
  let url: string
  let text: string
  beforeAll(async () => {
    at = await openCall()
    const { id: recordId } = await recorded(at)
    text = `Recording ${recordId}`
    ;({ url } = await cast.owner.downloadRecord({ ...at, recordId }))
  })

  test('needs no token, and has the name of the room', async () => {
    const response = await fetch(url)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(text)
    expect(response.headers.get('content-type')).toBe('video/mp4')
    const name = response.headers.get('content-disposition') ?? ''
    expect(decodeURIComponent(name.split("UTF-8''")[1] ?? '')).toMatch(/^Алгебра 1 2 \d{4}-\d\d-\d\d \d\d-\d\d\.mp4$/)
  })

  test.each([
    ['bytes=0-3', 206, [0, 4]],
    ['bytes=10-', 206, [10, undefined]],
    ['bytes=-5', 206, [-5, undefined]],
    ['bytes=0-9999', 206, [0, undefined]],
    ['bytes=5-2', 200, [0, undefined]],
    ['bytes=0-1,3-4', 200, [0, undefined]],
    ['lines=0-1', 200, [0, undefined]],
  ] as const)('gives %s with %i', async (range, status, [start, end]) => {
    const response = await fetch(url, { headers: { range } })
    expect([response.status, await response.text()]).toEqual([status, text.slice(start, end)])
    const first = start < 0 ? text.length + start : start
    const last = (end ?? text.length) - 1
    expect(response.headers.get('content-range')).toBe(status === 206 ? `bytes ${first}-${last}/${text.length}` : null)
  })

  test('gives no range that is not there, and the whole file when it has changed', async () => {
    const beyond = await fetch(url, { headers: { range: 'bytes=9999-' } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${text.length}`])
    const tag = (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? ''
    for (const [ifRange, status] of [
      [tag, 206],
      ['"another"', 200],
    ] as const)
      expect((await fetch(url, { headers: { range: 'bytes=0-1', 'if-range': ifRange } })).status).toBe(status)
  })

  test('is refused with another signature, for another recording, for longer, and later', async () => {
    const other = await recorded(at)
    const changed = (change: (to: URL) => void) => {
      const to = new URL(url)
      change(to)
      return to
    }
    const attempts = [
      changed(to => to.searchParams.set('signature', 'A'.repeat(43))),
      changed(to => to.searchParams.set('expires', String(Date.now() + 10 * DAY))),
      changed(to => to.searchParams.delete('signature')),
      changed(to => {
        to.pathname = to.pathname.replace(/[\da-f-]{36}/, other.id)
      }),
    ]
    for (const attempt of attempts) expect((await fetch(attempt)).status).toBe(404)
    lectern.advance(3600_000)
    expect((await fetch(url)).status).toBe(404)
    lectern.advance(-3600_000)
    expect((await fetch(url)).status).toBe(200)
  })
})

test('who may: moderators record, those who see past calls see and download, those who may delete the room delete', async () => {
  const at = await openCall({ isPublic: true })
  const moderator = await lectern.user()
  const { id: inviteId } = await cast.owner.createInvite({ spaceId: at.spaceId, role: 'role_space_user' })
  await moderator.activateInvite({ spaceId: at.spaceId, inviteId })
  await cast.owner.grantRole({ ...at, targetUserId: moderator.id, role: 'role_room_moderator' })
  const accessToken = tokenOf(await cast.owner.generateAccess({ ...at, role: 'moderator', username: 'Grace' }))
  const guest = lectern.withToken((await lectern.anonymous.redeemAccess({ accessToken })).guestToken)

  for (const other of [cast.member, cast.moderator])
    expect(await refusal(other.startRecord(at))).toEqual([403, 'not_allowed'])
  const { id: recordId } = await guest.startRecord(at)
  await untilState(at, recordId, 'recording')
  expect(await refusal(cast.member.stopRecord(at))).toEqual([403, 'not_allowed'])
  await moderator.stopRecord(at)
  await untilState(at, recordId, 'ready')

  const one = { ...at, recordId }
  for (const reader of [moderator, cast.moderator, cast.owner]) {
    expect((await reader.listRecords(at)).items).toHaveLength(1)
    await reader.downloadRecord(one)
  }
  const refused = await refusals([
    cast.member.listRecords(at),
    cast.member.getRecord(one),
    cast.member.downloadRecord(one),
    cast.member.deleteRecord(one),
    moderator.deleteRecord(one),
  ])
  expect(refused.map(([, ...answer]) => answer)).toEqual(Array.from({ length: 5 }, () => [403, 'not_allowed']))
  const elsewhere = { ...(await openRoom()), recordId }
  expect(await refusal(cast.owner.getRecord(elsewhere))).toEqual([404, 'not_found'])
  expect(await refusal(cast.owner.deleteRecord(elsewhere))).toEqual([404, 'not_found'])
  await cast.moderator.deleteRecord(one)
  expect(await refusal(cast.owner.getRecord(one))).toEqual([404, 'not_found'])
})

describe('a recording is refused', () => {
  test('without a call, and where the room does not allow it', async () => {
    expect(await refusal(cast.owner.startRecord(await openRoom()))).toEqual([404, 'no_call'])
    const at = await openCall({ isRecordAllowed: false })
    expect(await refusal(cast.owner.startRecord(at))).toEqual([403, 'recording_off'])
    await cast.owner.updateRoom({ ...at, isRecordAllowed: true })
    await recorded(at)
  })

  test('when it is not set up, and leaves nothing', async () => {
    hand.state.trouble = 'Install Chromium.'
    const at = await openCall()
    await expect(cast.owner.startRecord(at)).rejects.toMatchObject({
      code: 'recorder_off',
      message: 'Install Chromium.',
    })
    expect((await cast.owner.getLiveCall(at)).record).toBeNull()
    expect((await cast.owner.listRecords(at)).items).toEqual([])
  })

  test('when all recorders are busy', async () => {
    // Two on each node.
    const rooms = await Promise.all([openCall(), openCall(), openCall(), openCall(), openCall()])
    const results = await Promise.all(
      rooms.map(at =>
        cast.owner.startRecord(at).then(
          () => 'recording',
          error => error.code,
        ),
      ),
    )
    const nodes = isOneNode ? 1 : 2
    expect(results.filter(result => result === 'recording')).toHaveLength(2 * nodes)
    expect(results.filter(result => result === 'recorder_busy')).toHaveLength(5 - 2 * nodes)
    for (const [index, at] of rooms.entries()) if (results[index] === 'recording') await cast.owner.stopRecord(at)
    await vi.waitFor(() => expect(hand.running.size).toBe(0), { timeout: 10_000 })
  })

  test('once the space has used up its storage', async () => {
    const at = await openCall()
    const { id } = await cast.owner.startRecord(at)
    hand.state.size = 2e9
    const ready = await untilState(at, id, 'ready')
    expect(ready.reason).toBe('quota_reached')
    await byHand.db.updateTable('records').set({ size: 1e9 }).where('id', '=', id).execute()
    expect(await refusal(cast.owner.startRecord(at))).toEqual([409, 'record_quota'])
    // Nor is one begun by itself.
    const auto = await openCall({ isAutoRecordingAllowed: true })
    const failed = await untilFirst(auto, 'failed')
    expect(failed).toMatchObject({ reason: 'quota_reached', startedAt: null, isDownloadable: false })
    await untilEvents(failed.id, ['record_failed'])
    const before = await cast.owner.getRecordUsage({ spaceId: at.spaceId })
    expect(before.quota).toBe(1e9)
    await cast.owner.deleteRecord({ ...at, recordId: id })
    expect((await cast.owner.getRecordUsage({ spaceId: at.spaceId })).count).toBe(before.count - 1)
    hand.state.size = 1000
    await recorded(at)

    // Used up by others before this one has begun: there is nothing to download.
    hand.state.isQuick = false
    const other = await openCall()
    const { id: early } = await cast.owner.startRecord(other)
    hand.state.size = 2e9
    expect(await untilState(other, early, 'failed')).toMatchObject({ reason: 'quota_reached', isDownloadable: false })
    await untilEvents(early, ['record_failed'])
  })
})

test('of many who start at once one does', async () => {
  const at = await openCall()
  const results = await Promise.all(
    Array.from({ length: 8 }, () =>
      cast.owner.startRecord(at).then(
        () => 'started',
        error => error.code,
      ),
    ),
  )
  expect(results.filter(result => result === 'started')).toHaveLength(1)
  expect(results.filter(result => result === 'already_recording')).toHaveLength(7)
  await cast.owner.stopRecord(at)
})

describe('it ends', () => {
  test('with the call', async () => {
    const at = await openCall()
    const { id } = await cast.owner.startRecord(at)
    await untilState(at, id, 'recording')
    await cast.owner.endCall(at)
    expect((await untilState(at, id, 'ready')).reason).toBeNull()
    expect(hand.state.lastMs).toEqual(expect.any(Number))
  })

  test('when nobody is in the call any more, without what is recorded of that', async () => {
    const at = await openRoom()
    const presence = await enter(at)
    const { id } = await cast.owner.startRecord(at)
    const { startedAt } = await untilState(at, id, 'recording')
    const leftAt = Date.parse(startedAt ?? '') + 5000
    await byHand.tell('left', at.roomId, presence)
    await byHand.db
      .updateTable('calls')
      .set({ emptySince: leftAt - 60_000 })
      .where('roomId', '=', at.roomId)
      .execute()
    await untilState(at, id, 'ready')
    expect(hand.state.lastMs).toBe(1000)
  })

  test('when the room no longer allows it', async () => {
    const at = await openCall()
    const { id } = await cast.owner.startRecord(at)
    await untilState(at, id, 'recording')
    await cast.owner.updateRoom({ ...at, isRecordAllowed: false })
    await untilState(at, id, 'ready')
  })

  test('before it has begun, and there is no file', async () => {
    hand.state.isQuick = false
    const at = await openCall()
    const { id } = await cast.owner.startRecord(at)
    await cast.owner.stopRecord(at)
    const ended = await untilState(at, id, 'aborted')
    expect(ended).toMatchObject({ reason: 'stopped_early', startedAt: null, isDownloadable: false, size: 0 })
    await untilEvents(id, ['record_aborted'])
  })

  test('when the recorder is lost, with what was saved', async () => {
    const at = await openCall()
    const { id } = await cast.owner.startRecord(at)
    await untilState(at, id, 'recording')
    hand.running.get(id)?.('recorder_lost')
    expect(await untilState(at, id, 'aborted')).toMatchObject({ reason: 'recorder_lost', isDownloadable: true })
    await untilEvents(id, ['record_started', 'record_aborted'])
  })

  test.each(['disk_full', 'not_started'] as const)('with %s, which is a failure', async reason => {
    hand.state.isQuick = reason === 'disk_full'
    const at = await openCall()
    const { id } = await cast.owner.startRecord(at)
    if (reason === 'disk_full') await untilState(at, id, 'recording')
    await vi.waitFor(() => expect(hand.running.has(id)).toBe(true))
    hand.running.get(id)?.(reason)
    expect(await untilState(at, id, 'failed')).toMatchObject({ reason, isDownloadable: reason === 'disk_full' })
    await untilEvents(id, reason === 'disk_full' ? ['record_started', 'record_failed'] : ['record_failed'])
  })

  test('with a file at the second or third try, and else with what was captured', async () => {
    const at = await openCall()
    hand.state.failures = 2
    await recorded(at)
    hand.state.failures = 3
    const { id } = await cast.owner.startRecord(at)
    await untilState(at, id, 'recording')
    await cast.owner.stopRecord(at)
    expect(await untilState(at, id, 'failed')).toMatchObject({ reason: 'processing_failed', isDownloadable: true })
  })
})

describe('a room that records its calls', () => {
  test('does so from their start, and goes on when a recorder is lost', async () => {
    const at = await openCall({ isAutoRecordingAllowed: true })
    const [first] = await vi.waitFor(
      async () => {
        const { items } = await cast.owner.listRecords(at)
        expect(items.map(({ state }) => state)).toEqual(['recording'])
        return items
      },
      { timeout: 10_000, interval: 50 },
    )
    hand.running.get(first?.id ?? '')?.('recorder_lost')
    await vi.waitFor(
      async () =>
        expect((await cast.owner.listRecords(at)).items.map(({ state }) => state)).toEqual(['recording', 'aborted']),
      { timeout: 10_000, interval: 50 },
    )
    // What a moderator has stopped stays so.
    const [second] = (await cast.owner.listRecords(at)).items
    await cast.owner.stopRecord(at)
    await untilState(at, second?.id ?? '', 'ready')
    expect((await cast.owner.getLiveCall(at)).record).toBeNull()
  })

  test('goes on no longer when recorders are lost again and again, and says so', async () => {
    const at = await openCall({ isAutoRecordingAllowed: true })
    const reasons = []
    for (let lost = 0; lost < 5; lost++) {
      const { id } = await untilFirst(at, 'recording')
      hand.running.get(id)?.('recorder_lost')
      reasons.push((await untilState(at, id, 'aborted')).reason)
    }
    expect(reasons).toEqual([...Array(4).fill('recorder_lost'), 'recorder_failing'])
    expect((await cast.owner.getLiveCall(at)).record).toBeNull()
    expect((await cast.owner.listRecords(at)).items).toHaveLength(5)
  })

  test('records the next one too, though it began before the recording of the last had ended', async () => {
    const at = await openCall({ isAutoRecordingAllowed: true })
    const first = await untilFirst(at, 'recording')
    hand.state.isSlow = true
    await cast.owner.endCall(at)
    await enter(at)
    const { id: callId } = await cast.owner.getLiveCall(at)
    expect(callId).not.toBe(first.callId)
    hand.running.get(first.id)?.('stopped')
    await untilState(at, first.id, 'ready')
    expect(await untilFirst(at, 'recording')).toMatchObject({ callId })
    hand.state.isSlow = false
    await cast.owner.stopRecord(at)
    await untilFirst(at, 'ready')
  })

  test('goes on when somebody is there again', async () => {
    const at = await openRoom({ isAutoRecordingAllowed: true })
    const presence = await enter(at)
    const first = await untilFirst(at, 'recording')
    await byHand.tell('left', at.roomId, presence)
    const emptySince = Date.now() - 60_000
    await byHand.db.updateTable('calls').set({ emptySince }).where('id', '=', first.callId).execute()
    await untilState(at, first.id, 'ready')
    await enter(at)
    expect(await untilFirst(at, 'recording')).toMatchObject({ callId: first.callId })
    await cast.owner.stopRecord(at)
    await untilFirst(at, 'ready')
  })

  test('does not go on after a moderator has stopped it, though its node was lost then', async () => {
    const at = await openCall({ isAutoRecordingAllowed: true })
    const { id } = await untilFirst(at, 'recording')
    const lost = { stopAt: Date.now(), workerId: 'gone', leaseUntil: 0 }
    await byHand.db.updateTable('records').set(lost).where('id', '=', id).execute()
    await untilState(at, id, 'aborted')
    expect((await cast.owner.listRecords(at)).items).toHaveLength(1)
  })

  test('does not where recording is off, or not set up', async () => {
    const at = await openCall({ isAutoRecordingAllowed: true, isRecordAllowed: false })
    expect((await cast.owner.listRecords(at)).items).toEqual([])
    hand.state.trouble = 'Install Chromium.'
    const [waiting, stopped] = [
      await openCall({ isAutoRecordingAllowed: true }),
      await openCall({ isAutoRecordingAllowed: true }),
    ]
    await cast.owner.stopRecord(stopped)
    expect(await untilFirst(stopped, 'aborted')).toMatchObject({ reason: 'stopped_early' })
    lectern.advance(31_000)
    expect(await untilFirst(waiting, 'failed')).toMatchObject({ reason: 'recorder_off' })
    lectern.advance(-31_000)
  })
})

/** Has the database refuse that the recording begins, until that is taken back. */
const refuseToBegin = async (id: string) => {
  const run = async (...statements: string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(byHand.db)
  }
  const when = `new.state = 'recording' and new.id = '${id}'`
  if (!lectern.config.databaseUrl) {
    await run(`create trigger refuse before update on records when ${when} begin select raise(abort, 'away'); end`)
    return () => run('drop trigger refuse')
  }
  await run(
    `create function refuse() returns trigger language plpgsql as
      $$ begin if ${when} then raise exception 'away'; end if; return new; end $$`,
    'create trigger refuse before update on records for each row execute function refuse()',
  )
  return () => run('drop trigger refuse on records', 'drop function refuse()')
}

test('nothing goes on being recorded of which the database does not know', async () => {
  hand.state.isQuick = false
  const at = await openCall()
  const { id } = await cast.owner.startRecord(at)
  const allow = await refuseToBegin(id)
  await vi.waitFor(() => expect(hand.running.has(id)).toBe(true))
  hand.begin(id)
  await vi.waitFor(() => expect(hand.running.has(id)).toBe(false), { timeout: 10_000 })
  await allow()
  await byHand.db.updateTable('records').set({ leaseUntil: 0 }).where('id', '=', id).execute()
  expect(await untilState(at, id, 'aborted')).toMatchObject({ reason: 'recorder_lost', isDownloadable: true })
})

test('a node that has lost a recording while it made the file leaves it to the other', async () => {
  const gate = Promise.withResolvers<void>()
  hand.state.gate = gate.promise
  hand.state.lastMs = undefined
  const at = await openCall()
  const { id } = await cast.owner.startRecord(at)
  await untilState(at, id, 'recording')
  await cast.owner.stopRecord(at)
  await vi.waitFor(() => expect(hand.state.lastMs).toBeNull(), { timeout: 10_000 })
  const record = byHand.db.updateTable('records').where('id', '=', id)
  await record.set({ workerId: 'other', leaseUntil: lectern.now() + DAY }).execute()
  gate.resolve()
  // It has stored what it made, and may not write that down.
  await vi.waitFor(() => expect(readdirSync(folder)).toContain(`${id}.jpg`), { timeout: 10_000 })
  await record.set({ leaseUntil: 0 }).execute()
  const { isDownloadable } = await untilState(at, id, 'ready')
  expect(isDownloadable).toBe(true)
  const { url } = await cast.owner.downloadRecord({ ...at, recordId: id })
  expect(await (await fetch(url)).text()).toBe(`Recording ${id}`)
})

test('what another node had begun is finished when its lease has run out', async () => {
  const at = await openCall()
  const { id } = await cast.owner.startRecord(at)
  await untilState(at, id, 'recording')
  // As if by a node that is no more: the one here notices that it has lost it.
  await byHand.db.updateTable('records').set({ workerId: 'gone', leaseUntil: 0 }).where('id', '=', id).execute()
  expect(await untilState(at, id, 'aborted')).toMatchObject({ reason: 'recorder_lost', isDownloadable: true })
})

describe('files', () => {
  const filesOf = (id: string) => readdirSync(folder).filter(name => name.includes(id))
  const untilGone = (id: string) => vi.waitFor(() => expect(filesOf(id)).toEqual([]), { timeout: 10_000 })

  test('go with the recording, also one that goes on', async () => {
    const at = await openCall()
    const { id } = await recorded(at)
    const { url } = await cast.owner.downloadRecord({ ...at, recordId: id })
    expect(filesOf(id)).toHaveLength(2)
    await cast.owner.deleteRecord({ ...at, recordId: id })
    expect((await fetch(url)).status).toBe(404)
    await untilGone(id)

    const { id: second } = await cast.owner.startRecord(at)
    await untilState(at, second, 'recording')
    await cast.owner.deleteRecord({ ...at, recordId: second })
    expect((await cast.owner.getLiveCall(at)).record).toBeNull()
    await vi.waitFor(() => expect(hand.running.has(second)).toBe(false), { timeout: 10_000 })
    await untilGone(second)
    expect(eventsOf(second)).toEqual(['record_started'])
  })

  test('go where they were captured, though another node has forgotten the recording', async () => {
    const at = await openCall()
    const { id } = await cast.owner.startRecord(at)
    await untilState(at, id, 'recording')
    await byHand.db.deleteFrom('records').where('id', '=', id).execute()
    await vi.waitFor(() => expect(existsSync(hand.fileOf(id))).toBe(false), { timeout: 10_000 })
    // Or did so before this one was started.
    expect(existsSync(hand.fileOf('forgotten'))).toBe(false)
  })

  test('go with the room, and after the days that they are kept', async () => {
    const [at, other] = [await openCall(), await openCall()]
    const [one, two] = [await recorded(at), await recorded(other)]
    await cast.owner.deleteRoom(at)
    await untilGone(one.id)
    const sweepAt = (time: number) => createSweep(byHand.db, lectern.config, () => time)()
    await sweepAt(Date.now() + 364 * DAY)
    expect(filesOf(two.id)).toHaveLength(2)
    await sweepAt(Date.now() + 366 * DAY)
    await untilGone(two.id)
    const left = () => byHand.db.selectFrom('records').select('id').where('id', 'in', [one.id, two.id]).execute()
    await vi.waitFor(async () => expect(await left()).toEqual([]))
  })
})
