import pg from 'pg'

/** Any statements in the database at the address; gives the rows of the last. */
export const run = async <T>(address: string, ...statements: string[]): Promise<T[]> => {
  const client = new pg.Client(address)
  // Its query fails with it; an error that nobody listens to would end the benchmark before it has tidied up.
  client.on('error', () => {})
  await client.connect()
  try {
    let rows: T[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** A fresh database of the server: its address. */
export const createDatabase = async (server: string, name: string) => {
  await run(`${server}/postgres`, `CREATE DATABASE ${name}`)
  return `${server}/${name}`
}

/** UUIDv7 as `newId` makes them, in the order of n, which counts up from 1, and all before now. */
const idOf = (n: string, total: number) => {
  const time = `lpad(to_hex(${Date.now() - total} + ${n}), 12, '0')`
  return `substr(${time}, 1, 8) || '-' || substr(${time}, 9) || '-7000' || substr(gen_random_uuid()::text, 19)`
}

const letters = `lpad(to_hex(n::bigint * 658412347 % (1::bigint << 40)), 10, '0')`
/** Another for each n: the factor has nothing in common with the number of all aliases. */
const alias = `translate(substr(${letters}, 1, 3) || '-' || substr(${letters}, 4, 4) || '-' || substr(${letters}, 8), '0123456789abcdef', 'abcdefghjkmnpqrs')`

/** So many rooms of one space, as `createRooms` leaves them; nothing is left to be tidied up while others measure. */
export const fillRooms = (address: string, spaceId: string, creatorId: string, count: number) =>
  run(
    address,
    `INSERT INTO rooms (id, "spaceId", alias, "channelId", name, type, "isPublic", "isChatAllowed", "isScreensharingAllowed", "isFloorAllowed", "creatorId", "createdAt")
     SELECT ${idOf('n', count)}, '${spaceId}', ${alias}, gen_random_uuid()::text, 'Room ' || n, 'lesson', n % 2, 1, 1, 0, '${creatorId}', ${Date.now() - count} + n
     FROM generate_series(1, ${count}) n`,
    'VACUUM ANALYZE rooms',
    'CHECKPOINT',
  )

/** How a delivery is stored: due, or delivered at the first attempt. */
const columns = {
  due: `'pending', 0, '', '[]', "at"`,
  logged: `'delivered', 1, ',' || "at", '[{"number":1,"at":"2026-01-01T00:00:00.000Z","status":200,"durationMs":5,"outcome":"success","reason":null,"detail":null}]', null`,
}

/** So many deliveries of each webhook there is. */
export const fillDeliveries = (address: string, count: number, state: keyof typeof columns) =>
  run(
    address,
    `INSERT INTO deliveries (id, "spaceId", "webhookId", "eventName", body, "isManual", state, "attemptsMade", "attemptTimes", attempts, "nextAttemptAt", "createdAt")
     SELECT id, "spaceId", "webhookId", 'call_started',
       '{"eventName":"call_started","roomId":"' || id || '","spaceId":"' || "spaceId" || '","callId":"' || id || '","occurredAt":"2026-01-01T00:00:00.000Z"}',
       0, ${columns[state]}, "at"
     FROM (
       SELECT ${idOf('n', count)} AS id, ${Date.now() - count} + n AS "at", webhooks.id AS "webhookId", "spaceId"
       FROM webhooks, generate_series(1, ${count}) n
     ) made`,
  )
