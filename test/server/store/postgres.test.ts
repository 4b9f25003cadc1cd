import { randomUUID } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Client, createClient } from '../../../client/client.ts'
import { LecternError } from '../../../client/error.ts'
import { readConfig } from '../../../server/config.ts'
import { openDb, transact } from '../../../server/store/db.ts'
import { findUserStanding } from '../../../server/store/standing.ts'
import { tokenOf } from '../../support/cast.ts'
import { withEvents } from '../../support/events.ts'
import { refusal, startLectern } from '../../support/lectern.ts'
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
  await asAdmin(admin => admin.query('CREATE DATABASE migrated'))
  await (await openDb(readConfig({ DATABASE_URL: `${postgres.url}/migrated` }))).destroy()
})
afterAll(() => postgres.stop())

const asAdmin = async (work: (admin: pg.Client) => Promise<unknown>) => {
  const admin = new pg.Client(`${postgres.url}/postgres`)
  await admin.connect()
  await work(admin)
  await admin.end()
}

/** `settings`: of each connection to it. */
const createDatabase = async (settings: Record<string, string | number> = {}) => {
  const name = `lectern_${randomUUID().replaceAll('-', '')}`
  await asAdmin(admin => admin.query(`CREATE DATABASE ${name} TEMPLATE migrated`))
  const options = Object.entries(settings).map(([setting, value]) => `-c ${setting}=${value}`)
  return `${postgres.url}/${name}?options=${encodeURIComponent(options.join(' '))}`
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

/** Between the service and the server, to count, to lose the answer to a commit, or to say nothing after a begin. */
const startLine = async (settings?: Record<string, string | number>) => {
  let isArmed = false
  let losses = 0
  let isToFallSilent = false
  let roundTrips = 0
  const sockets = new Set<Socket>()
  const line = createServer(near => {
    const { hostname, port } = new URL(postgres.url)
    const far = connect(Number(port), hostname)
    let isLosing = false
    let isSilent = false
    let isAnswered = true
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', data => {
      if (isAnswered) roundTrips++
      isAnswered = false
      if (isArmed && data.includes('commit\0')) {
        isArmed = false
        isLosing = true
      }
      if (!isSilent) far.write(data)
      if (isToFallSilent && data.includes('begin\0')) {
        isToFallSilent = false
        isSilent = true
      }
    })
    far.on('data', data => {
      isAnswered = true
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
  const url = new URL(await createDatabase(settings))
  url.port = String((line.address() as AddressInfo).port)
  return {
    url: url.href,
    loseNextCommit() {
      isArmed = true
    },
    losses: () => losses,
    roundTrips: () => roundTrips,
    fallSilentAfterNextBegin() {
      isToFallSilent = true
    },
  }
}

test('creating a room takes three round trips', async () => {
  const line = await startLine()
  const { operator } = await startLectern({ DATABASE_URL: line.url })
  const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
  const trips: number[] = []
  // Now and then something else is asked meanwhile.
  for (let i = 0; i < 10; i++) {
    const before = line.roundTrips()
    await operator.createRooms({ spaceId, name: 'Room' })
    trips.push(line.roundTrips() - before)
  }
  expect(Math.min(...trips)).toBe(3)
})

test('reads that are asked for at one moment share round trips, and each gets its own answer', async () => {
  const line = await startLine()
  const { operator } = await startLectern({ DATABASE_URL: line.url })
  const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
  const rooms: { id: string; name: string }[] = []
  for (let n = 0; n < 10; n++)
    rooms.push({ name: `Room ${n}`, ...(await operator.createRooms({ spaceId, name: `Room ${n}` })) })
  const read = () =>
    Promise.all([
      ...rooms.map(({ id, name }) => operator.getRoom({ spaceId, roomId: id }).then(room => room.name === name)),
      refusal(operator.getRoom({ spaceId, roomId: randomUUID() })),
      operator.getSpace({ spaceId }).then(space => space.id === spaceId),
    ])
  await read()
  const before = line.roundTrips()
  for (let round = 0; round < 10; round++)
    expect(await read()).toEqual([...rooms.map(() => true), [404, 'not_found'], true])
  // Each by itself they would be 120.
  expect(line.roundTrips() - before).toBeLessThan(100)
})

test('many people who ask at one moment each get what is theirs', async () => {
  const { anonymous, running, user, withToken } = await startLectern({ DATABASE_URL: await createDatabase() })
  const setUp = async (n: number) => {
    const person = await user()
    const { id: spaceId } = await person.createSpaces({ name: 'Space' })
    const { id: roomId, alias } = await person.createRooms({ spaceId, name: `Room ${n}` })
    const link = await person.generateAccess({ spaceId, roomId, role: 'user', username: `Guest ${n}` })
    const { guestToken } = await anonymous.redeemAccess({ accessToken: tokenOf(link) })
    const guest = withToken(guestToken)
    return {
      person: withToken(person.token),
      userId: person.id,
      guest,
      spaceId,
      roomId,
      alias,
      isSignedOut: n % 5 === 3,
    }
  }
  const people = await Promise.all(Array.from({ length: 22 }, (_, n) => setUp(n)))
  const signedOut = people.filter(({ isSignedOut }) => isSignedOut).map(({ userId }) => userId)
  await running.db.deleteFrom('sessions').where('userId', 'in', signedOut).execute()

  const seen = (client: Client, at: { spaceId: string; roomId: string }) =>
    client.getRoom(at).then(
      ({ name }) => name,
      ({ status }: LecternError) => status,
    )
  const answers = people.map(({ person, guest, spaceId, roomId, alias }, n) =>
    Promise.all([
      seen(person, { spaceId, roomId }),
      seen(person, { spaceId, roomId: alias }),
      seen(person, people[n - 1] ?? { spaceId, roomId: randomUUID() }),
      seen(guest, { spaceId, roomId }),
    ]),
  )
  expect(await Promise.all(answers)).toEqual(
    people.map(({ isSignedOut }, n) =>
      isSignedOut ? [401, 401, 401, `Room ${n}`] : [`Room ${n}`, `Room ${n}`, 404, `Room ${n}`],
    ),
  )
})

test('those who ask at one moment are found by few statements', async () => {
  const { running, user } = await startLectern({ DATABASE_URL: await createDatabase(), LECTERN_DATABASE_POOL: '1' })
  const { db } = running
  const { id } = await user()
  const sessions = await db.selectFrom('sessions').select('id').where('userId', '=', id).execute()
  const asked = Array.from({ length: 21 }, (_, n) => (n % 5 === 4 ? sessions[0]?.id : undefined) ?? `nobody ${n}`)
  // A statement has a name, and so is listed, from the second time on.
  for (let round = 0; round < 3; round++) {
    const found = await Promise.all(asked.map((sessionId, n) => findUserStanding(db, sessionId, n)))
    expect(found.map(standing => standing?.caller.sessionId)).toEqual(
      asked.map(sessionId => (sessionId.startsWith('nobody') ? undefined : sessionId)),
    )
  }
  const { rows } = await sql<{ rows: number }>`select cardinality(string_to_array(statement, '::integer')) - 1 as rows
    from pg_prepared_statements where statement like '/* of many */%' order by 1`.execute(db)
  expect(rows).toEqual([{ rows: 4 }, { rows: 16 }])
})

test('an act that can’t be recorded takes its change with it', async () => {
  const url = await createDatabase()
  const { operator } = await startLectern({ DATABASE_URL: url })
  const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`ALTER TABLE audit ADD CONSTRAINT none CHECK (action <> 'room.created')`)
  expect(await refusal(operator.createRooms({ spaceId, name: 'Room' }))).toEqual([500, 'internal'])
  expect(await roomsIn(operator, spaceId)).toEqual([])
  await admin.query('ALTER TABLE audit DROP CONSTRAINT none')
  await admin.end()
  const { id } = await operator.createRooms({ spaceId, name: 'Room' })
  expect((await roomsIn(operator, spaceId)).map(room => room.id)).toEqual([id])
})

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
  // Without a key it may share its commit with others, and is as little repeated.
  line.loseNextCommit()
  await expect(owner.createRooms({ spaceId, name: 'Other' })).rejects.toMatchObject({ status: 503 })
  expect(line.losses()).toBe(2)
  expect((await roomsIn(owner, spaceId)).map(room => room.name).sort()).toEqual(['Other', 'Room'])
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

/** Someone else who works on the service's database. */
const startOther = async (url: string) => {
  const other = new pg.Client(url)
  await other.connect()
  onTestFinished(() => other.end())
  return other
}

/** Whoever waits for a lock. */
const stuck = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

const startWithSpace = async (url: string, environment: Record<string, string> = {}) => {
  const lectern = await startLectern({ DATABASE_URL: url, ...environment })
  const owner = await lectern.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
  return { lectern, owner, spaceId, roomId }
}

test('a room whose alias another has gets the next', async () => {
  const url = await createDatabase()
  const { owner, spaceId, roomId } = await startWithSpace(url)
  const other = await startOther(url)
  await other.query('CREATE SEQUENCE tries')
  await other.query(`CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('tries') <= 2 THEN NEW.alias := (SELECT alias FROM rooms LIMIT 1); END IF;
    RETURN NEW;
  END $$`)
  await other.query('CREATE TRIGGER collide BEFORE INSERT ON rooms FOR EACH ROW EXECUTE FUNCTION collide()')
  const { id, alias } = await owner.createRooms({ spaceId, name: 'Second' })
  expect((await owner.getRoom({ spaceId, roomId: alias })).id).toBe(id)
  expect((await roomsIn(owner, spaceId)).map(room => room.id)).toEqual([id, roomId])
  expect((await owner.listSpaceAudit({ spaceId })).items.filter(act => act.target.id === id)).toHaveLength(1)
})

describe('a link that ends just as it is used says why:', () => {
  test.each([
    ['revoked', true, 'UPDATE links SET "revokedAt" = 1', [410, 'link_revoked']],
    ['revoked', false, 'UPDATE links SET "revokedAt" = 1', [410, 'link_revoked']],
    ['used', false, 'UPDATE links SET "usedAt" = 1', [410, 'link_used']],
    ['its room deleted', true, 'DELETE FROM rooms', [404, 'not_found']],
  ])('%s, permanent: %s', async (_, isPermanent, ending, answer) => {
    const url = await createDatabase()
    const { lectern, owner, spaceId, roomId } = await startWithSpace(url)
    const link = await owner.generateAccess({ spaceId, roomId, role: 'user', username: 'Guest', isPermanent })
    const other = await startOther(url)
    await other.query('BEGIN')
    await other.query(ending)
    const redeemed = refusal(lectern.anonymous.redeemAccess({ accessToken: tokenOf(link) }))
    await vi.waitFor(async () => expect((await other.query(stuck)).rowCount).toBe(1), 5000)
    await other.query('COMMIT')
    expect(await redeemed).toEqual(answer)
  })
})

describe('told as unavailable, and served again afterwards:', () => {
  const refuse = async ({ lectern, owner, spaceId }: Awaited<ReturnType<typeof startWithSpace>>) => {
    const answer = await lectern.request('POST', `/v1/spaces/${spaceId}/rooms`, {
      token: owner.token,
      body: { name: 'Refused' },
    })
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  }
  const serve = async ({ owner, spaceId }: Awaited<ReturnType<typeof startWithSpace>>) => {
    await owner.createRooms({ spaceId, name: 'Served' })
    expect((await roomsIn(owner, spaceId)).map(({ name }) => name).sort()).toEqual(['Room', 'Served'])
  }

  test.each([
    ['a lock that another does not let go', { lock_timeout: 100 }],
    ['a statement that takes too long', { lock_timeout: 0, statement_timeout: 1000 }],
  ])('%s', async (_, settings) => {
    const url = await createDatabase(settings)
    const started = await startWithSpace(url)
    const other = await startOther(url)
    await other.query('BEGIN')
    await other.query('SELECT 1 FROM spaces FOR UPDATE')
    await refuse(started)
    await other.query('ROLLBACK')
    await serve(started)
  })

  test('reads of a table that another does not let go', async () => {
    const url = await createDatabase({ lock_timeout: 100 })
    const { owner, spaceId, roomId } = await startWithSpace(url)
    const other = await startOther(url)
    const readAll = () => Promise.all(Array.from({ length: 50 }, () => refusal(owner.getRoom({ spaceId, roomId }))))
    await other.query('BEGIN')
    await other.query('LOCK TABLE rooms IN ACCESS EXCLUSIVE MODE')
    for (const told of await readAll()) expect(told).toEqual([503, 'unavailable'])
    await other.query('ROLLBACK')
    const answers = await Promise.all(Array.from({ length: 50 }, () => owner.getRoom({ spaceId, roomId })))
    expect(answers.map(({ id }) => id)).toEqual(answers.map(() => roomId))
  })

  test('a database that is only for reading', async () => {
    const url = await createDatabase()
    const started = await startWithSpace(url)
    const { owner, spaceId, roomId } = started
    const setReadOnly = async (isOn: boolean) => {
      const name = new URL(url).pathname.slice(1)
      await asAdmin(admin => admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isOn}`))
      await cutAll()
      // A connection may not have noticed yet.
      await vi.waitFor(() => owner.getRoom({ spaceId, roomId }), 5000)
    }
    await setReadOnly(true)
    await refuse(started)
    await setReadOnly(false)
    await serve(started)
  })

  test('a transaction that says nothing for too long', async () => {
    const line = await startLine({ idle_in_transaction_session_timeout: 500 })
    const started = await startWithSpace(line.url)
    line.fallSilentAfterNextBegin()
    await refuse(started)
    await serve(started)
  })
})

test('connections have timeouts and compile nothing, unless the address of the database has others', async () => {
  const given = async (url: string) => {
    const { running } = await startLectern({ DATABASE_URL: url })
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name in (${sql.join(Object.keys(usual))})`.execute(running.db)
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
  }
  const usual = {
    statement_timeout: '20000',
    lock_timeout: '5000',
    idle_in_transaction_session_timeout: '20000',
    jit: 'off',
  }
  expect(await given(await createDatabase())).toEqual(usual)
  expect(await given(await createDatabase({ lock_timeout: 700 }))).toEqual({ ...usual, lock_timeout: '700' })
})

test('a start waits for a copy that is under way, for as long as it takes', async () => {
  const url = await createDatabase({ lock_timeout: 200 })
  const { lectern } = await startWithSpace(url)
  const other = await startOther(url)
  await other.query('BEGIN; LOCK TABLE installation IN EXCLUSIVE MODE')
  const starting = startLectern({ DATABASE_URL: url, LECTERN_DATA: lectern.config.data })
  const looking = await startOther(url)
  await Promise.race([
    starting.then(() => Promise.reject(new Error('it has not waited'))),
    vi.waitFor(
      async () => expect((await looking.query(`${stuck} AND now() - query_start > '600ms'`)).rowCount).toBe(1),
      10_000,
    ),
  ])
  await other.query('ROLLBACK')
  expect((await (await starting).request('GET', '/readyz')).status).toBe(200)
})

test('what stood in the way of another is repeated after a pause, each time a longer one', async () => {
  const { running } = await startLectern({ DATABASE_URL: await createDatabase() })
  const began: number[] = []
  const failing = transact(running.db, async trx => {
    began.push(performance.now())
    await sql`do $$ begin raise serialization_failure; end $$`.execute(trx)
  })
  await expect(failing).rejects.toMatchObject({ code: '40001' })
  const pauses = began.slice(1).map((at, index) => at - (began[index] ?? 0))
  expect(pauses).toHaveLength(4)
  // Timers may fire a little early.
  for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThan(10 * 2 ** index - 2)
})

test('statements are planned once, and a column that a migration adds does not disturb them', async () => {
  const url = await createDatabase()
  const { lectern, owner, spaceId, roomId } = await startWithSpace(url, { LECTERN_DATABASE_POOL: '1' })
  const work = async (name: string) => {
    await owner.getRoom({ spaceId, roomId })
    await owner.updateRoom({ spaceId, roomId, name })
  }
  const planned = async () => {
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
      lectern.running.db,
    )
    return rows.map(({ statement }) => statement)
  }
  for (let round = 0; round < 4; round++) await work(`Room ${round}`)
  const statements = await planned()
  for (const part of ['from "sessions"', 'update "rooms"'])
    expect(statements.filter(statement => statement.includes(part)).length, part).toBeGreaterThan(0)
  expect(new Set(statements).size).toBe(statements.length)

  const other = await startOther(url)
  for (const table of ['rooms', 'spaces', 'sessions', 'users'])
    await other.query(`ALTER TABLE ${table} ADD COLUMN later text`)
  await work('Room')
})

test('lists of any length do not fill the server with plans', async () => {
  const { running } = await startLectern({ DATABASE_URL: await createDatabase(), LECTERN_DATABASE_POOL: '1' })
  for (let length = 1; length <= 310; length++)
    for (const _ of [1, 2]) {
      const ids = Array.from({ length }, () => 'id')
      await running.db.selectFrom('rooms').select('id').where('id', 'in', ids).execute()
    }
  const { rows } = await sql<{ count: number }>`select count(*) from pg_prepared_statements`.execute(running.db)
  expect(rows[0]?.count).toBeLessThanOrEqual(300)
})

const WEBHOOKS = isLong ? 1000 : 20

test('requests do not wait for the connections of background work, however much is due', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const url = await createDatabase({ lock_timeout: 0, statement_timeout: 0 })
  const { lectern, owner, spaceId, roomId } = await startWithSpace(url, {
    LECTERN_DATABASE_POOL: '2',
    LECTERN_DATABASE_BACKGROUND_POOL: '2',
    LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
  })
  const { record } = withEvents(lectern)
  const spaceIds: string[] = []
  for (let count = 0; count < WEBHOOKS; count++) {
    const { id } = await owner.createSpaces({ name: 'Space' })
    await owner.createWebhook({ spaceId: id, url: `${receiver.url}/` })
    spaceIds.push(id)
  }
  const ask = async () => {
    const start = performance.now()
    await owner.getRoom({ spaceId, roomId })
    return performance.now() - start
  }
  const askOften = async () => {
    const waits: number[] = []
    for (let round = 0; round < 50; round++) {
      waits.push(...(await Promise.all([ask(), ask(), ask(), ask()])))
      expect((await lectern.request('GET', '/readyz')).status).toBe(200)
    }
    return Math.round(waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0)
  }
  const atRest = await askOften()

  // Whoever wants to claim a delivery waits for this one, with all connections of the background, and the others for them.
  const other = await startOther(url)
  await other.query('BEGIN')
  await other.query('SELECT id FROM webhooks FOR NO KEY UPDATE')
  for (const id of spaceIds) await record(id)
  const looking = await startOther(url)
  await vi.waitFor(async () => expect((await looking.query(stuck)).rowCount).toBe(2), 5000)
  const besides = await askOften()
  expect((await looking.query(stuck)).rowCount).toBe(2)

  await other.query('ROLLBACK')
  const under = await askOften()
  await vi.waitFor(() => expect(new Set(receiver.callbacks.map(({ id }) => id)).size).toBe(WEBHOOKS), 60_000)
  if (isLong)
    console.log(
      `p99 of GET room: ${atRest} ms at rest, ${besides} ms beside ${WEBHOOKS} that are stuck, ${under} ms while they go out`,
    )
}, 180_000)
