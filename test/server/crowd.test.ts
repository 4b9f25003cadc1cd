import { Agent, get } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent as Connections, fetch as fetchOver } from 'undici'
import { describe, expect, test } from 'vitest'
import { createClient as createPlainClient } from '../../client/client.ts'
import { pauseFor } from '../../web/room/live/pace.ts'
import { admitted } from '../support/admitted.ts'
import { tokenOf } from '../support/cast.ts'
import { freshInstallation, type Kind, OPERATOR_PASSWORD, slowKinds } from '../support/databases.ts'
import { startListingEngine } from '../support/listing.ts'
import { isLong } from '../support/long.ts'
import { startProcess } from '../support/process.ts'

/* More people at once than the media engine of a test could hold: all that they ask of the interface. */

const GUESTS = isLong ? 10_000 : 50
const WITHIN_MS = (GUESTS / 10_000) * 60_000

const VIEWERS = 2000
const HANDS = 60
const CHURN_MS = 80_000
const AT_MOST = 5_000_000
/** Of a broadcast to one person: the words and what they are sent in. */
const BROADCAST_BYTES = 150

/** Thousands of clients in one process share connections, as they would not share a process. */
const connections = new Connections({ connections: 100 })
const createClient = (options: Parameters<typeof createPlainClient>[0]) =>
  createPlainClient({
    ...options,
    fetch: ((url: string, request: object) => fetchOver(url, { ...request, dispatcher: connections })) as never,
  })

const openWebinar = async (engine: Awaited<ReturnType<typeof startListingEngine>>, kind: Kind) => {
  const { url } = await startProcess({
    ...(await freshInstallation(kind)),
    ...engine.settings,
  })
  const owner = createClient({ baseUrl: url })
  await owner.signIn('operator', OPERATOR_PASSWORD)
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { id: roomId, channelId } = await owner.createRooms({ spaceId, name: 'Room', type: 'webinar' })
  const at = { spaceId, roomId }
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', isPermanent: true }))
  const anonymous = createClient({ baseUrl: url })
  const redeem = (participantName: string) => anonymous.redeemAccess({ accessToken, participantName })
  return { url, owner, at, channelId, redeem }
}

/** In order, so many at a time. */
const inGroups = async (count: number, atOnce: number, work: (n: number) => Promise<void>) => {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

describe.each(slowKinds)('on %s', kind => {
  test(`${GUESTS} guests redeem a link and ask to join, none in vain`, async () => {
    const engine = await startListingEngine()
    const { url, at, redeem } = await openWebinar(engine, kind)
    const took: number[] = []
    const timed = async <T>(work: Promise<T>) => {
      const begun = performance.now()
      const answer = await work
      took.push(performance.now() - begun)
      return answer
    }
    const comes = async (n: number) => {
      await wait((n / GUESTS) * WITHIN_MS)
      const { guestToken } = await timed(redeem(`Guest ${n}`))
      const joined = await timed(createClient({ baseUrl: url, token: guestToken }).joinRoom(at))
      return joined.participantId
    }
    const participants = await Promise.all(Array.from({ length: GUESTS }, (_, n) => comes(n)))
    expect(new Set(participants).size).toBe(GUESTS)
    took.sort((a, b) => a - b)
    const [median, p99] = [0.5, 0.99].map(part => Math.round(took[Math.floor(took.length * part)] ?? 0)) as [
      number,
      number,
    ]
    // Few of them say nothing of the time.
    if (isLong) console.log(`${kind}: ${GUESTS} guests, median ${median} ms, p99 ${p99} ms`)
  }, 180_000)

  test.runIf(isLong)(
    `${VIEWERS} in a webinar where people come and go read at most 5 MB/s`,
    async () => {
      let broadcasts = 0
      let onChange = () => {}
      const engine = await startListingEngine(() => {
        broadcasts++
        onChange()
      })
      const { url, at, channelId, redeem } = await openWebinar(engine, kind)
      const room = `${url}/v1/spaces/${at.spaceId}/rooms/${at.roomId}`

      const sockets = new Set<Socket>()
      const agent = new Agent({ keepAlive: true })
      let reads = 0
      const read = (path: string, token: string) =>
        new Promise<string>((resolve, reject) => {
          const request = get(room + path, { agent, headers: { authorization: `Bearer ${token}` } }, async answer => {
            const body = (await answer.toArray()).join('')
            if (answer.statusCode === 200) resolve(body)
            else reject(new Error(`${path} was answered ${answer.statusCode}: ${body}`))
          })
          request.on('socket', socket => sockets.add(socket)).on('error', reject)
        })
      const received = () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0)

      const tokens: string[] = []
      const identities: string[] = []
      await inGroups(VIEWERS, 20, async n => {
        const { guestToken } = await redeem(`Viewer ${n}`)
        const guest = createClient({ baseUrl: url, token: guestToken })
        const { participantId, mediaUrl, mediaToken } = admitted(await guest.joinRoom(at))
        // Knocks, as connecting would: from then on the participant is known.
        await fetch(`${mediaUrl.replace(/^ws/, 'http')}/rtc/validate?access_token=${mediaToken}`)
        await engine.joined(url, channelId, participantId)
        if (n < HANDS) await guest.setHand({ ...at, raised: true })
        tokens[n] = guestToken
        identities[n] = participantId
      })
      const whole = JSON.parse(await read('/call', tokens[0] ?? ''))
      expect(whole.participantCount).toBe(VIEWERS)
      expect(whole.participants.length).toBeLessThanOrEqual(51)

      // Each reads the call and the room again as its page would.
      const failures: unknown[] = []
      const pages = tokens.map(token => {
        let timer: NodeJS.Timeout | undefined
        return {
          changed() {
            timer ??= setTimeout(() => {
              timer = undefined
              reads++
              Promise.all([read('/call', token), read('', token)]).catch(error => failures.push(error))
            }, Math.random() * pauseFor(VIEWERS, false))
          },
          close: () => clearTimeout(timer),
        }
      })
      onChange = () => {
        for (const page of pages) page.changed()
      }
      const [before, toldBefore, begun] = [received(), broadcasts, performance.now()]
      for (let n = HANDS; performance.now() - begun < CHURN_MS; n = n + 1 < VIEWERS ? n + 1 : HANDS) {
        await engine.left(url, channelId, identities[n] ?? '')
        await engine.joined(url, channelId, identities[n] ?? '')
        await wait(20)
      }
      const seconds = (performance.now() - begun) / 1000
      onChange = () => {}
      for (const page of pages) page.close()
      const [bytes, told] = [received() - before, broadcasts - toldBefore]
      const [measured, spoken] = [bytes / seconds, (told * BROADCAST_BYTES * VIEWERS) / seconds]
      expect(failures).toEqual([])
      expect(reads).toBeGreaterThan(0)
      expect(told).toBeGreaterThan(0)
      expect(measured + spoken).toBeLessThanOrEqual(AT_MOST)

      // Each as often as its page asks when changes never end.
      const mostReads = VIEWERS / (pauseFor(VIEWERS, false) / 2 / 1000)
      const mostBroadcasts = (VIEWERS * BROADCAST_BYTES) / 2
      expect(mostReads * (bytes / reads) + mostBroadcasts).toBeLessThanOrEqual(AT_MOST)
      const megabytes = (of: number) => (of / 1e6).toFixed(2)
      console.log(
        `${kind}: ${VIEWERS} viewers, ${(reads / seconds).toFixed(0)} reads/s of ${Math.round(bytes / reads)} bytes, ` +
          `${megabytes(measured)} MB/s and ${megabytes(spoken)} MB/s of broadcasts (${(told / seconds).toFixed(1)}/s)`,
      )
    },
    300_000,
  )
})
