import { startPostgres } from '../test/support/postgres.ts'
import { benchClaims } from './claims.ts'
import { createDatabase, fillRooms } from './databases.ts'
import { CONNECTIONS, compare, measure } from './load.ts'
import { benchNodeDeliveries, benchNodeRequests, startNode } from './nodes.ts'
import { signIn, startBare, temporaryFolder } from './processes.ts'
import { getFromBare, roomRequests, sizeContests } from './rooms.ts'
import { MANY_ROOMS, SECONDS, withCommas } from './sizes.ts'

const FEW_ROOMS = 1000

/** An installation with one space of so many rooms, and a bare handler with as many. */
const withRooms = async (server: string, count: number) => {
  const [database, bareDatabase, indexedDatabase] = [
    await createDatabase(server, `rooms_${count}`),
    await createDatabase(server, `bare_${count}`),
    await createDatabase(server, `indexed_${count}`),
  ]
  const data = temporaryFolder()
  const lectern = await startNode(database, data)
  // What one session asks twice at one moment is asked once: many are measured, too.
  const crowd = { ...lectern, tokens: await signIn(lectern, CONNECTIONS) }
  const { id: spaceId } = await lectern.client.createSpaces({ name: 'Bench' })
  const requests = roomRequests(spaceId, await lectern.client.createRooms({ spaceId, name: 'Room' }))
  const { id: userId } = await lectern.client.getMe()
  const bare = await startBare(bareDatabase)
  const bareGet = await getFromBare(bare, requests.create)
  const indexed = await startBare(indexedDatabase, 'indexed')
  for (const each of [database, bareDatabase, indexedDatabase]) await fillRooms(each, spaceId, userId, count - 1)
  return { database, data, lectern, crowd, bare, bareGet, indexed, ...requests }
}

const benchRooms = async (server: string) => {
  const verdicts: boolean[] = []
  const few = await withRooms(server, FEW_ROOMS)
  const many = await withRooms(server, MANY_ROOMS)
  for (const [count, { lectern, crowd, bare, indexed, create, get, bareGet }] of [
    [FEW_ROOMS, few],
    [MANY_ROOMS, many],
  ] as const)
    verdicts.push(
      await compare({
        name: `createRooms, ${withCommas(count)} rooms, against a bare transaction`,
        ours: () => measure(lectern, create, SECONDS),
        yardstick: () => measure(bare, create, SECONDS),
        atLeast: 0.7,
      }),
      await compare({
        name: `createRooms, ${withCommas(count)} rooms, by ${CONNECTIONS} sessions, against the same`,
        ours: () => measure(crowd, create, SECONDS),
        yardstick: () => measure(bare, create, SECONDS),
        atLeast: 0.7,
      }),
      await compare({
        name: `createRooms, ${withCommas(count)} rooms, against the same with indexes`,
        ours: () => measure(lectern, create, SECONDS),
        yardstick: () => measure(indexed, create, SECONDS),
      }),
      await compare({
        name: `GET room, ${withCommas(count)} rooms, by ${CONNECTIONS} sessions, against a bare SELECT`,
        ours: () => measure(crowd, get, SECONDS),
        yardstick: () => measure(bare, bareGet, SECONDS),
        atLeast: 0.8,
      }),
    )
  for (const bare of [few.bare, many.bare, few.indexed, many.indexed]) await bare.stop()
  for (const [name, request] of sizeContests)
    verdicts.push(
      await compare({
        name: `${name}: ${withCommas(MANY_ROOMS)} rooms against ${withCommas(FEW_ROOMS)}`,
        ours: () => measure(many.lectern, many[request], SECONDS),
        yardstick: () => measure(few.lectern, few[request], SECONDS),
        atLeast: 0.9,
      }),
    )
  await many.lectern.stop()
  verdicts.push(...(await benchNodeRequests(few)))
  await few.lectern.stop()
  return verdicts
}

const benchOn = async (server: string) => [
  ...(await benchRooms(server)),
  await benchNodeDeliveries(server),
  await benchClaims(server),
]

/** The server is no child that would end with the benchmark. */
const interruption = () =>
  new Promise<never>((_, fail) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => fail(new Error(`ended by ${signal}`)))
  })

/** On a server of the benchmark's own that keeps what it has confirmed, and has checkpoints out of the way. */
export const benchPostgres = async (): Promise<boolean[]> => {
  const postgres = await startPostgres(['fsync=on', 'max_wal_size=8GB'])
  console.log('PostgreSQL:')
  try {
    return await Promise.race([benchOn(postgres.url), interruption()])
  } finally {
    await postgres.stop()
  }
}
