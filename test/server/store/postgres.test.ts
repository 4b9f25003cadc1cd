import { randomUUID } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Client, createClient, LecternError } from '../../../client/client.ts'
import { withEvents } from '../../support/events.ts'
import { startLectern } from '../../support/lectern.ts'
import { isLong } from '../../support/long.ts'
import { type Postgres, startPostgres } from '../../support/postgres.ts'
import { startProcess, temporaryFolder } from '../../support/process.ts'
import { startReceiver, status } from '../../support/receiver.ts'

/* A PostgreSQL server that cuts connections and restarts: of this file's own, since others would notice. */

const PASSWORD = 'operator password'
const ROUNDS = isLong ? 20 : 2
const SERVED_WITHIN_MS = 5000

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const asAdmin = async (work: (admin: pg.Client) => Promise<unknown>) => {
  const admin = new pg.Client(`${postgres.url}/postgres`)
  await admin.connect()
  await work(admin)
  await admin.end()
}

const createDatabase = async () => {
  const name = `lectern_${randomUUID().replaceAll('-', '')}`
  await asAdmin(admin => admin.query(`CREATE DATABASE ${name}`))
  return `${postgres.url}/${name}`
}

const cutAll = () =>
  asAdmin(admin =>
    admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> $1', [
      (admin as unknown as { processID: number }).processID,
    ]),
  )

const isBusy = (error: unknown) => error instanceof LecternError && error.status === 503

/** Answers that are neither a success nor a 503 that says so. */
const watchedFetch = () => {
  const unexpected = new Set<string>()
  let refused = 0
  const watched: typeof fetch = async (...request) => {
    const answer = await fetch(...request)
    if (answer.status === 200) return answer
    const text = await answer.clone().text()
    const isUnavailable =
      answer.status === 503 &&
      answer.headers.get('content-type')?.startsWith('application/problem+json') &&
      Number(answer.headers.get('retry-after')) > 0 &&
      (JSON.parse(text) as { code: string }).code === 'unavailable'
    if (isUnavailable) refused++
    else unexpected.add(`${answer.status} ${text}`)
    return answer
  }
  return { fetch: watched, unexpected, refused: () => refused }
}

const roomsIn = async (client: Client, spaceId: string) => {
  const found: { id: string; name: string }[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.listRooms({ spaceId, limit: 200, ...(cursor && { cursor }) })
    found.push(...page.items)
    cursor = page.nextCursor
  }
  return found
}

test(
  'cut and restarted under load: the service lives on, says 503 or yes, and keeps what it said yes to',
  async () => {
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    const service = await startProcess({
      LECTERN_DATA: temporaryFolder(),
      DATABASE_URL: await createDatabase(),
      LECTERN_ADMIN_PASSWORD: PASSWORD,
      LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
      LECTERN_LOG_LEVEL: 'fatal',
    })
    let isOver = false
    service.ended.then(() => {
      isOver = true
    })
    const { fetch, unexpected, refused } = watchedFetch()
    const client = createClient({ baseUrl: service.url, fetch })
    await client.signIn('operator', PASSWORD)
    const { id: spaceId } = await client.createSpaces({ name: 'Space' })
    const { id: roomId } = await client.createRooms({ spaceId, name: 'Room' })
    await client.createWebhook({ spaceId, url: receiver.url })

    const acknowledged = { rooms: [] as string[], invites: [] as string[], used: [] as string[], once: [] as string[] }
    const loops: (() => Promise<unknown>)[] = [
      async () => acknowledged.rooms.push((await client.createRooms({ spaceId, name: 'Room' })).id),
      async () => {
        const { id: inviteId } = await client.createInvite({ spaceId, role: 'role_space_user' })
        acknowledged.invites.push(inviteId)
        await client.activateInvite({ spaceId, inviteId })
        acknowledged.used.push(inviteId)
      },
      // A commit whose answer is lost may have happened: with a key it happens once, however often it is asked for.
      async () => {
        const name = randomUUID()
        while (!isOver)
          try {
            await client.createRooms({ spaceId, name }, { idempotencyKey: name })
            return acknowledged.once.push(name)
          } catch (error) {
            if (!isBusy(error)) throw error
          }
      },
      () => client.getRoom({ spaceId, roomId }),
      () => client.listRooms({ spaceId }),
      () => client.testWebhook({ spaceId }),
    ]
    /** How often each loop has succeeded. */
    const successes = loops.flatMap(() => [0, 0, 0])
    const running = Promise.all(
      successes.map(async (_, index) => {
        const step = loops[index % loops.length] as () => Promise<unknown>
        while (!isOver)
          await step().then(
            () => {
              successes[index] = (successes[index] ?? 0) + 1
            },
            error => (isBusy(error) ? wait(10) : Promise.reject(error)),
          )
      }),
    ).catch(error => {
      isOver = true
      return error
    })

    /** From now until each of the loops has been served. */
    const served = async () => {
      const start = performance.now()
      const before = [...successes]
      await vi.waitFor(
        () => expect(isOver || successes.every((count, index) => count > (before[index] ?? 0))).toBe(true),
        {
          timeout: 30_000,
          interval: 10,
        },
      )
      return performance.now() - start
    }

    const waits: number[] = []
    await served()
    for (let round = 0; round < ROUNDS && !isOver; round++) {
      await cutAll()
      waits.push(await served())
      await postgres.restart(round % 2 === 0 ? 'fast' : 'immediate')
      waits.push(await served())
    }
    expect([service.child.exitCode, service.child.signalCode, service.output.stderr]).toEqual([null, null, ''])
    isOver = true
    expect(await running).not.toBeInstanceOf(Error)
    expect([...unexpected]).toEqual([])
    expect(refused()).toBeGreaterThan(0)
    expect(Math.max(...waits)).toBeLessThan(SERVED_WITHIN_MS)

    const rooms = await roomsIn(client, spaceId)
    const known = new Set(rooms.map(({ id }) => id))
    expect(acknowledged.rooms.filter(id => !known.has(id))).toEqual([])
    const named = Map.groupBy(rooms, ({ name }) => name)
    expect(acknowledged.once.filter(name => named.get(name)?.length !== 1)).toEqual([])
    const invites = new Map<string, string | null>()
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.listInvites({ spaceId, limit: 200, ...(cursor && { cursor }) })
      for (const { id, usedAt } of page.items) invites.set(id, usedAt)
      cursor = page.nextCursor
    }
    expect(acknowledged.invites.filter(id => !invites.has(id))).toEqual([])
    expect(acknowledged.used.filter(id => !invites.get(id))).toEqual([])

    // And what goes on in the background goes on.
    const { id: deliveryId } = await client.testWebhook({ spaceId })
    await vi.waitFor(
      async () => expect((await client.getDelivery({ spaceId, deliveryId })).state).toBe('delivered'),
      10_000,
    )
    if (isLong)
      console.log(
        `${waits.length} cuts and restarts: ${acknowledged.rooms.length + acknowledged.once.length} rooms and ${acknowledged.invites.length} invites kept, ${refused()} answers 503, all served again within ${Math.round(Math.max(...waits))} ms`,
      )
  },
  60_000 + ROUNDS * 20_000,
)

/** Between the service and the server, to lose the answer to a commit. */
const startLine = async () => {
  let isArmed = false
  let losses = 0
  const sockets = new Set<Socket>()
  const line = createServer(near => {
    const { hostname, port } = new URL(postgres.url)
    const far = connect(Number(port), hostname)
    let isLosing = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', data => {
      if (isArmed && data.includes('commit\0')) {
        isArmed = false
        isLosing = true
      }
      far.write(data)
    })
    far.on('data', data => {
      if (!isLosing) return near.write(data)
      // It is done, and nobody will hear of it.
      losses++
      near.destroy()
    })
  })
  await new Promise<void>(ready => line.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    line.close()
  })
  const url = new URL(await createDatabase())
  url.port = String((line.address() as AddressInfo).port)
  return {
    url: url.href,
    loseNextCommit() {
      isArmed = true
    },
    losses: () => losses,
  }
}

test('a commit whose answer is lost is told as unavailable, and happens once', async () => {
  const line = await startLine()
  const lectern = await startLectern({ DATABASE_URL: line.url })
  const owner = await lectern.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  line.loseNextCommit()
  const idempotencyKey = randomUUID()
  const ask = () => owner.createRooms({ spaceId, name: 'Room' }, { idempotencyKey })
  await expect(ask()).rejects.toMatchObject({ status: 503, code: 'unavailable', retryAfter: 1 })
  expect(line.losses()).toBe(1)
  const { id } = await ask()
  expect((await roomsIn(owner, spaceId)).map(room => room.id)).toEqual([id])
})

test('a failed callback counts once, also when the answer to the commit that records it is lost', async () => {
  const line = await startLine()
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const lectern = withEvents(
    await startLectern({
      DATABASE_URL: line.url,
      LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
      LECTERN_WEBHOOK_SCHEDULE: '0,0,0',
    }),
  )
  const owner = await lectern.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  await owner.createWebhook({ spaceId, url: receiver.url })
  receiver.on('/', (callback, response, request) => {
    if (receiver.callbacks.length === 3) line.loseNextCommit()
    status(500)(callback, response, request)
  })
  await lectern.record(spaceId)
  await vi.waitFor(() => expect(line.losses()).toBe(1), 5000)
  // What is recorded again comes before whatever follows it.
  receiver.on('/', (_, response) => void response.end())
  const { id: deliveryId } = await owner.testWebhook({ spaceId })
  await vi.waitFor(async () => expect((await owner.getDelivery({ spaceId, deliveryId })).state).toBe('delivered'), 5000)
  expect((await owner.getWebhookHealth({ spaceId })).consecutiveFailures).toBe(1)
  expect(receiver.callbacks).toHaveLength(4)
})
