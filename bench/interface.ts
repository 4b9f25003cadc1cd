import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { newAlias, newId } from '../server/ids.ts'
import { median } from './clock.ts'
import { compare, measure } from './load.ts'
import { residentMemory, startBare, startLectern, temporaryFolder } from './processes.ts'
import { getFromBare, roomRequests, sizeContests } from './rooms.ts'
import { MANY_ROOMS, SECONDS, withCommas } from './sizes.ts'

/** An installation with one space of so many rooms, written past the interface because a million requests take long. */
const withRooms = async (count: number) => {
  const data = temporaryFolder()
  let lectern = await startLectern(data)
  const { id: spaceId } = await lectern.client.createSpaces({ name: 'Bench' })
  const room = await lectern.client.createRooms({ spaceId, name: 'Room' })
  const { id: userId } = await lectern.client.getMe()
  await lectern.stop()
  const database = new Database(join(data, 'lectern.db'))
  const insert = database.prepare(
    'INSERT INTO rooms (id, spaceId, alias, channelId, name, type, isPublic, isChatAllowed, isScreensharingAllowed, isFloorAllowed, creatorId, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  database.transaction(() => {
    for (let n = 1; n < count; n++)
      insert.run(
        newId(Date.now()),
        spaceId,
        newAlias(),
        newId(Date.now()),
        `Room ${n}`,
        'lesson',
        n % 2,
        1,
        1,
        0,
        userId,
        Date.now(),
      )
  })()
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
  lectern = await startLectern(data)
  return { lectern, data, ...roomRequests(spaceId, room) }
}

export const benchInterface = async (): Promise<boolean[]> => {
  const verdicts: boolean[] = []
  const bare = await startBare(join(temporaryFolder(), 'bare.db'))
  const shared = await startBare(join(temporaryFolder(), 'bare.db'), 'shared')
  const indexed = await startBare(join(temporaryFolder(), 'bare.db'), 'shared', 'indexed')
  const small = await withRooms(1000)
  const bareGet = await getFromBare(bare, small.create)

  verdicts.push(
    await compare({
      name: 'createRooms against a bare handler with one flush each',
      ours: () => measure(small.lectern, small.create, SECONDS),
      yardstick: () => measure(bare, small.create, SECONDS),
      atLeast: 1,
    }),
    await compare({
      name: 'createRooms against a bare handler with a shared flush',
      ours: () => measure(small.lectern, small.create, SECONDS),
      yardstick: () => measure(shared, small.create, SECONDS),
      atLeast: 0.75,
    }),
    await compare({
      name: 'createRooms against the same with the indexes of the lists',
      ours: () => measure(small.lectern, small.create, SECONDS),
      yardstick: () => measure(indexed, small.create, SECONDS),
    }),
    await compare({
      name: 'GET room against a bare handler with one SELECT',
      ours: () => measure(small.lectern, small.get, SECONDS),
      yardstick: () => measure(bare, bareGet, SECONDS),
      atLeast: 0.9,
    }),
  )
  await bare.stop()
  await shared.stop()
  await indexed.stop()
  const fresh = await withRooms(1000)
  const large = await withRooms(MANY_ROOMS)
  for (const [name, request] of sizeContests)
    verdicts.push(
      await compare({
        name: `${name}: ${withCommas(MANY_ROOMS)} rooms against 1,000`,
        ours: () => measure(large.lectern, large[request], SECONDS),
        yardstick: () => measure(fresh.lectern, fresh[request], SECONDS),
        atLeast: 0.9,
      }),
    )

  await large.lectern.stop()
  await fresh.lectern.stop()
  await small.lectern.stop()
  verdicts.push(await benchMemory(small), await benchStart(small))
  return verdicts
}

/** What starting has left behind is given back half a minute later. */
const UNTIL_REST_MS = 40_000

const benchMemory = async ({ data }: { data: string }) => {
  const { child, stop } = await startLectern(data)
  await sleep(UNTIL_REST_MS)
  const memory = Math.round(residentMemory(child))
  await stop()
  console.log(`${memory <= 100 ? 'ok  ' : 'HIGH'} memory at rest: ${memory} MB (at most 100)`)
  return memory <= 100
}

const benchStart = async ({ data }: { data: string }) => {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const before = performance.now()
    const started = await startLectern(data)
    times.push(started.readyAt - before)
    await started.stop()
  }
  const usual = median(times)
  console.log(`${usual <= 1000 ? 'ok  ' : 'SLOW'} from exec to ready: ${usual.toFixed(0)} ms (at most 1000)`)
  return usual <= 1000
}
