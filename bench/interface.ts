import { join } from 'node:path'
import Database from 'better-sqlite3'
import { newAlias, newId } from '../server/ids.ts'
import { median } from './clock.ts'
import { compare, measure, type Request } from './load.ts'
import { residentMemory, startBare, startLectern, temporaryFolder } from './processes.ts'

const SECONDS = 3

/** An installation with one space of so many rooms, written past the interface because a million requests take long. */
const withRooms = async (count: number) => {
  const data = temporaryFolder()
  let lectern = await startLectern(data)
  const { id: spaceId } = await lectern.client.createSpaces({ name: 'Bench' })
  const { id: roomId, alias } = await lectern.client.createRooms({ spaceId, name: 'Room' })
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
  const base = `/v1/spaces/${spaceId}/rooms`
  const create: Request = { method: 'POST', path: base, body: { name: 'Algebra, first lesson', type: 'lesson' } }
  const get: Request = { method: 'GET', path: `${base}/${roomId}` }
  const getByAlias: Request = { method: 'GET', path: `${base}/${alias}` }
  const list: Request = { method: 'GET', path: base }
  return { lectern, data, create, get, getByAlias, list }
}

export const benchInterface = async (): Promise<boolean[]> => {
  const verdicts: boolean[] = []
  const bare = await startBare()
  const small = await withRooms(1000)
  const memory = residentMemory(small.lectern.child)

  const madeByBare = await fetch(bare.url + small.create.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${bare.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(small.create.body),
  })
  const { id } = (await madeByBare.json()) as { id: string }
  const bareGet: Request = { method: 'GET', path: `${small.create.path}/${id}` }

  verdicts.push(
    await compare({
      name: 'createRooms against a bare handler with one flush each',
      ours: () => measure(small.lectern, small.create, SECONDS),
      yardstick: () => measure(bare, small.create, SECONDS),
      atLeast: 1,
    }),
    await compare({
      name: 'GET room against a bare handler with one SELECT',
      ours: () => measure(small.lectern, small.get, SECONDS),
      yardstick: () => measure(bare, bareGet, SECONDS),
      atLeast: 0.7,
    }),
  )
  await bare.stop()
  const fresh = await withRooms(1000)
  const large = await withRooms(1_000_000)
  for (const [name, request] of [
    ['createRooms', 'create'],
    ['GET room', 'get'],
    ['GET room by alias', 'getByAlias'],
    ['one page of the rooms', 'list'],
  ] as const)
    verdicts.push(
      await compare({
        name: `${name}: 1,000,000 rooms against 1,000`,
        ours: () => measure(large.lectern, large[request], SECONDS),
        yardstick: () => measure(fresh.lectern, fresh[request], SECONDS),
        atLeast: 0.9,
      }),
    )

  await large.lectern.stop()
  await fresh.lectern.stop()
  console.log(`${memory <= 120 ? 'ok  ' : 'HIGH'} memory at rest: ${memory.toFixed(0)} MB (at most 120)`)
  verdicts.push(memory <= 120, await benchStart(small))
  return verdicts
}

const benchStart = async ({ lectern, data }: { lectern: { stop: () => Promise<void> }; data: string }) => {
  await lectern.stop()
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
