import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AccessToken } from 'livekit-server-sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tokenOf } from '../../support/cast.ts'
import { startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, knock, openRoomOf, untilMedia } from '../../support/live.ts'
import { isLong } from '../../support/long.ts'
import { startReceiver } from '../../support/receiver.ts'

const REAL = isLong ? 10 : 3
const SIGNED = isLong ? 190 : 37

test(
  `${REAL} who really join and ${SIGNED} events of the engine, all at once, are one call`,
  async () => {
    const lectern = await startLectern({ LECTERN_MEDIA: 'on', LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    await untilMedia(lectern.url, 'ready', ENGINE_WITHIN_MS)
    const owner = await lectern.user()
    const { events, secret: _, ...at } = await openRoomOf(owner, receiver)
    const { channelId } = await owner.getRoom(at)
    const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', isPermanent: true }))
    const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken, participantName: 'Guest' })
    const guest = lectern.withToken(guestToken)

    // Signed as the engine signs, with its own key.
    const { keys } = JSON.parse(readFileSync(join(lectern.config.data, 'livekit.yaml'), 'utf8'))
    const tell = async (event: object) => {
      const raw = JSON.stringify(event)
      const token = new AccessToken('lectern', keys.lectern)
      token.sha256 = createHash('sha256').update(raw).digest('base64')
      const headers = { 'content-type': 'application/webhook+json', authorization: await token.toJwt() }
      return (await lectern.request('POST', '/v1/media/events', { headers, raw })).status
    }
    const seconds = String(Math.floor(Date.now() / 1000))
    const joined = async (n: number) => ({
      event: 'participant_joined',
      id: `EV_${n}`,
      createdAt: seconds,
      room: { name: channelId },
      participant: { identity: (await knock(guest, at)).participantId, sid: `PA_${n}`, joinedAt: seconds },
    })
    const told = await Promise.all(Array.from({ length: SIGNED }, (_, n) => joined(n)))

    const [answers] = await Promise.all([
      Promise.all(told.map(tell)),
      ...Array.from({ length: REAL }, () => enter(guest, at)),
    ])
    expect(new Set(answers)).toEqual(new Set([200]))
    // All over again: the engine tells twice what it is not sure of.
    await Promise.all(told.map(tell))

    const [call, ...others] = (await owner.listCalls(at)).items
    expect(others).toEqual([])
    const callId = call?.id ?? ''
    await vi.waitFor(
      async () => {
        const { items } = await owner.getAttendance({ ...at, callId })
        expect(items.map(({ stays }) => stays.length)).toEqual(Array.from({ length: REAL + SIGNED }, () => 1))
      },
      { timeout: 10_000 },
    )
    await vi.waitFor(() => expect(events()).toEqual([{ eventName: 'call_started', callId }]), { timeout: 10_000 })
    // Those of whom the engine knows nothing are found to be gone, and the others stay.
    lectern.advance(31_000)
    await vi.waitFor(async () => expect((await owner.getLiveCall(at)).participants).toHaveLength(REAL), {
      timeout: 20_000,
    })
    expect((await owner.getLiveCall(at)).id).toBe(callId)
    expect(events()).toHaveLength(1)
  },
  ENGINE_WITHIN_MS + 120_000,
)
