import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Client, createClient } from '../../../client/client.ts'
import { readConfig } from '../../../server/config.ts'
import { launchEngine } from '../../../server/media/launch.ts'
import { provideEngine } from '../../../server/media/provision.ts'
import { tokenOf } from '../../support/cast.ts'
import { ENGINE_WITHIN_MS, enter, openRoomOf, type Place, untilMedia } from '../../support/live.ts'
import { isLong } from '../../support/long.ts'
import { freePort } from '../../support/ports.ts'
import { isRunning, startProcess, temporaryFolder } from '../../support/process.ts'
import { startReceiver } from '../../support/receiver.ts'
import { behindTls } from '../../support/tls.ts'

/* kill -9 in the middle of a call, of the real program and the real engine, with real participants. */

const PASSWORD = 'operator password'

/** An installation at an address that it keeps over its restarts, and a room with a call of two in it. */
const callOfTwo = async (more: Record<string, string> = {}) => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const data = temporaryFolder()
  const environment = {
    PORT: String(await freePort()),
    LECTERN_DATA: data,
    LECTERN_ADMIN_PASSWORD: PASSWORD,
    LECTERN_MEDIA: 'on',
    LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
    LECTERN_CALL_GRACE: '1',
    ...more,
  }
  const start = async () => {
    const service = await startProcess(environment)
    await untilMedia(service.url, 'ready', ENGINE_WITHIN_MS)
    return service
  }
  const service = await start()
  const owner = createClient({ baseUrl: service.url })
  await owner.signIn('operator', PASSWORD)
  const { events, secret: _, ...at } = await openRoomOf(owner, receiver)
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', username: 'Ann' }))
  const { guestToken } = await owner.redeemAccess({ accessToken })
  const guest = createClient({ baseUrl: service.url, token: guestToken })
  const inside = [await enter(owner, at, 'tab-0001'), await enter(guest, at, 'tab-0001')] as const
  await untilInside(owner, at, 2)
  const { id: callId } = await owner.getLiveCall(at)
  const enginePid = () => Number(readFileSync(join(data, 'livekit.pid'), 'utf8'))
  return { service, start, owner, guest, inside, at, callId, events, enginePid }
}

const untilInside = (owner: Client, at: Place, count: number) =>
  vi.waitFor(async () => expect((await owner.getLiveCall(at)).participants).toHaveLength(count), { timeout: 15_000 })

const once = (callId: string) => [
  { eventName: 'call_started', callId },
  { eventName: 'call_finished', callId },
]

/** All stays ended by then. */
const expectClosed = async (owner: Client, at: Place, callId: string, by: number) => {
  const { items } = await owner.getAttendance({ ...at, callId })
  expect(items.map(({ name, stays }) => [name, stays.length])).toEqual([
    ['operator', 1],
    ['Ann', 1],
  ])
  for (const { stays } of items)
    for (const { joinedAt, leftAt } of stays) {
      expect(Date.parse(leftAt ?? '')).toBeGreaterThanOrEqual(Date.parse(joinedAt))
      expect(Date.parse(leftAt ?? '')).toBeLessThanOrEqual(by)
    }
  const { endedAt } = await owner.getRoomCall({ ...at, callId })
  expect(Date.parse(endedAt ?? '')).toBeLessThanOrEqual(by)
}

const victims = [
  ['the engine', ['engine']],
  ['both', ['engine', 'service']],
  ['the service', ['service']],
] as const

// The engine ends with the service, which is killed further below, too.
test.each(isLong ? victims : victims.slice(0, 1))(
  '%s killed: the call ends once, at the last moment known, and the next one is another',
  async (_, killed) => {
    const { service, start, owner, inside, at, callId, events, enginePid } = await callOfTwo()
    const pid = enginePid()
    const killedAt = Date.now()
    if (killed.some(one => one === 'engine')) process.kill(pid, 'SIGKILL')
    if (killed.some(one => one === 'service')) {
      service.child.kill('SIGKILL')
      await service.ended
      // The engine does not outlive the service.
      await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 5000 })
      await start()
    }
    await vi.waitFor(() => expect(events()).toEqual(once(callId)), { timeout: 60_000, interval: 100 })
    await expectClosed(owner, at, callId, killedAt)

    // Otherwise they may come back by themselves, and be in the next one for long.
    for (const { room } of inside) await room.disconnect()
    await untilMedia(service.url, 'ready')
    const { room } = await enter(owner, at)
    await untilInside(owner, at, 1)
    const { id: next } = await owner.getLiveCall(at)
    expect(next).not.toBe(callId)
    await room.disconnect()
    await vi.waitFor(() => expect(events()).toEqual([...once(callId), ...once(next)]), { timeout: 15_000 })
  },
  90_000,
)

test('the service killed and started again: whoever comes back within the grace is in the same call', async () => {
  const { service, start, owner, at, callId, events } = await callOfTwo({ LECTERN_CALL_GRACE: '15' })
  service.child.kill('SIGKILL')
  await service.ended
  await start()
  const { participantId } = await enter(owner, at, 'tab-0001')
  // The stays that were cut short are noticed, and the new one is not taken for them.
  await vi.waitFor(
    async () =>
      expect((await owner.getLiveCall(at)).participants.map(one => one.participantId)).toEqual([participantId]),
    { timeout: 15_000 },
  )
  expect((await owner.getLiveCall(at)).id).toBe(callId)
  const { items } = await owner.getAttendance({ ...at, callId })
  expect(items.map(({ stays }) => stays.map(({ leftAt }) => leftAt === null))).toEqual([[false, true], [false]])
  await owner.endCall(at)
  await vi.waitFor(() => expect(events()).toEqual(once(callId)), { timeout: 15_000 })
}, 90_000)

test.runIf(isLong)(
  'an engine run elsewhere, behind https, goes on without the service, which afterwards knows who has left meanwhile',
  async () => {
    const PORT = String(await freePort())
    const program = await provideEngine(readConfig({}).cache, () => {}, new AbortController().signal)
    const engine = await launchEngine({
      program,
      folder: temporaryFolder(),
      mediaIp: '127.0.0.1',
      mediaPorts: null,
      eventsUrl: `http://127.0.0.1:${PORT}/v1/media/events`,
      log: pino({ level: 'silent' }),
      onState: () => {},
    })
    onTestFinished(engine.stop)
    const { url, authority } = await behindTls(engine.url)
    const { service, start, owner, inside, at, callId, events } = await callOfTwo({
      PORT,
      LECTERN_LIVEKIT_URL: url,
      NODE_EXTRA_CA_CERTS: authority,
      LECTERN_LIVEKIT_API_KEY: engine.apiKey,
      LECTERN_LIVEKIT_API_SECRET: engine.apiSecret,
    })
    const [teacher, guest] = inside
    service.child.kill('SIGKILL')
    await service.ended
    await guest.room.disconnect()
    await start()
    await vi.waitFor(
      async () =>
        expect((await owner.getLiveCall(at)).participants.map(one => one.participantId)).toEqual([
          teacher.participantId,
        ]),
      // Signalling went down with the service, so it is the engine that has to notice.
      { timeout: 45_000 },
    )
    expect((await owner.getLiveCall(at)).id).toBe(callId)
    const { items } = await owner.getAttendance({ ...at, callId })
    const [left] = items.find(({ participantId }) => participantId === guest.participantId)?.stays ?? []
    expect(left?.leftAt).toEqual(expect.any(String))
    await owner.endCall(at)
    await vi.waitFor(() => expect(events()).toEqual(once(callId)), { timeout: 15_000 })
  },
  90_000,
)
