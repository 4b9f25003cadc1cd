import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Client, createClient } from '../../../client/client.ts'
import { LecternError } from '../../../client/error.ts'
import { freshInstallation, OPERATOR_PASSWORD, slowKinds } from '../../support/databases.ts'
import { startLectern } from '../../support/lectern.ts'
import { isLong } from '../../support/long.ts'
import { startProcess } from '../../support/process.ts'
import { startReceiver } from '../../support/receiver.ts'

const KILLS = isLong ? 100 : 3

test.each(slowKinds)(
  'on %s, a service killed again and again delivers every event, and none a fourth time',
  async kind => {
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    const answered = new Map<string, number[]>()
    // Some at once, some a little later, some not well: a kill finds attempts in every state.
    receiver.on('/', ({ id }, response) => {
      const code = randomInt(5) === 0 ? 500 : 200
      setTimeout(() => {
        answered.set(id, [...(answered.get(id) ?? []), code])
        response.writeHead(code).end()
      }, randomInt(80))
    })

    const environment = {
      ...(await freshInstallation(kind)),
      LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
      LECTERN_WEBHOOK_SCHEDULE: '0,1,1',
    }
    let token = ''
    let spaceId = ''
    const recorded: string[] = []
    const record = async (client: Client) => {
      try {
        for (let i = 0; i < 4; i++) recorded.push((await client.testWebhook({ spaceId })).id)
      } catch (error) {
        // Gone: refused, reset or cut off. A real answer here must be a success.
        if (error instanceof LecternError) throw error
      }
    }
    const connect = async () => {
      const service = await startProcess(environment)
      const client = createClient({ baseUrl: service.url, token })
      if (token === '') {
        token = (await client.signIn('operator', OPERATOR_PASSWORD)).access_token
        spaceId = (await client.createSpaces({ name: 'Space' })).id
        await client.createWebhook({ spaceId, url: `${receiver.url}/` })
      }
      return { ...service, client }
    }

    for (let round = 0; round < KILLS; round++) {
      const { child, ended, client } = await connect()
      const before = recorded.length
      const recording = [record(client), record(client), record(client)]
      // Mostly once there is something to lose; now and then right after the start.
      if (round % 5 > 0)
        await vi.waitFor(() => expect(recorded.length).toBeGreaterThan(before + 1), { timeout: 10_000, interval: 1 })
      await wait(randomInt(100))
      child.kill('SIGKILL')
      expect(await ended).toMatchObject({ signal: 'SIGKILL' })
      await Promise.all(recording)
    }

    // What a kill has interrupted counts as lost after fifteen seconds, and is then tried again: this one starts later.
    const { operator: client } = await startLectern(environment, { now: () => Date.now() + 20_000 })
    await vi.waitFor(
      async () => expect((await client.listDeliveries({ spaceId, state: 'pending', limit: 1 })).items).toEqual([]),
      { timeout: 60_000, interval: 50 },
    )

    const deliveries: Awaited<ReturnType<Client['listDeliveries']>>['items'] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.listDeliveries({ spaceId, limit: 200, ...(cursor && { cursor }) })
      deliveries.push(...page.items)
      cursor = page.nextCursor
    }
    const known = new Set(deliveries.map(({ id }) => id))
    expect(recorded.length).toBeGreaterThan(KILLS)
    expect(recorded.filter(id => !known.has(id))).toEqual([])

    const requests = new Map<string, number>()
    for (const { id } of receiver.callbacks) requests.set(id, (requests.get(id) ?? 0) + 1)
    for (const id of requests.keys()) expect(known.has(id)).toBe(true)
    let interrupted = 0
    for (const { id, state, attempts } of deliveries) {
      const sent = requests.get(id) ?? 0
      expect([1, 2, 3]).toContain(attempts.length)
      expect(sent).toBeLessThanOrEqual(attempts.length)
      expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, i) => i + 1))
      expect(attempts.map(({ outcome }) => outcome)).not.toContain('sending')
      if (state === 'delivered') expect(answered.get(id)).toContain(200)
      else expect([state, attempts.length]).toEqual(['failed', 3])
      interrupted += attempts.filter(({ outcome }) => outcome === 'interrupted').length
    }
    // A few kills may all have come between two attempts.
    if (isLong) expect(interrupted).toBeGreaterThan(0)
    if (isLong)
      console.log(`${kind}, ${KILLS} kills: ${recorded.length} deliveries, ${interrupted} attempts interrupted`)
  },
  isLong ? 1_200_000 : 240_000,
)
