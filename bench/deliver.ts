/*
 * One measurement in a process of its own: `deliver.ts MODE RECEIVER`. Prints the result as JSON.
 * ours: deliveries per second of the real worker over the real outbox, from the event's record to the attempt's.
 * bare: the same POSTs with undici and nothing else, signed alike, from an array in memory, sixteen at a time.
 * delay, delay-hung: sends events at a steady pace, without and with a hundred hung receivers in other spaces.
 * memory: how many MB a hundred thousand queued events add.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Agent } from 'undici'
import { publish } from '../server/cluster/notices.ts'
import { readConfig } from '../server/config.ts'
import { createPoster } from '../server/delivery/post.ts'
import { callbackHeaders, callbackPayload, newSecret } from '../server/delivery/sign.ts'
import { createWorker } from '../server/delivery/worker.ts'
import { unlessRefused } from '../server/http/problem.ts'
import { accountProblems } from '../server/identity/accounts.ts'
import { loadKeys } from '../server/identity/keys.ts'
import { newId } from '../server/ids.ts'
import { openDb, transact } from '../server/store/db.ts'
import { queueState } from '../server/store/deliveries.ts'
import { recordEvent } from '../server/store/events.ts'
import { createSpace } from '../server/store/spaces.ts'
import { createUser } from '../server/store/users.ts'
import { createWebhook } from '../server/store/webhooks.ts'
import { wallClock } from './clock.ts'
import { temporaryFolder } from './processes.ts'

const [mode, receiver = ''] = process.argv.slice(2)
const WARM_UP = 3000
const COUNT = 6000
const WIDTH = 16
const poster = createPoster(true)
const event = (spaceId: string) => ({
  eventName: 'call_started' as const,
  roomId: newId(Date.now()),
  spaceId,
  callId: newId(Date.now()),
  occurredAt: new Date().toISOString(),
})

const bare = async () => {
  const agent = new Agent()
  const secret = newSecret()
  const run = async (count: number) => {
    const queue = Array.from({ length: count }, () => JSON.stringify(event(newId(Date.now()))))
    const started = performance.now()
    await Promise.all(
      Array.from({ length: WIDTH }, async () => {
        for (let body = queue.pop(); body; body = queue.pop()) {
          const payload = callbackPayload(body, secret)
          const headers = callbackHeaders(newId(Date.now()), payload, [secret], Date.now())
          const answer = await agent.request({
            origin: receiver,
            path: '/',
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: payload,
          })
          await answer.body.dump()
        }
      }),
    )
    return (count / (performance.now() - started)) * 1000
  }
  await run(WARM_UP)
  return run(COUNT)
}

const openOutbox = async () => {
  const data = join(temporaryFolder(), 'data')
  const keys = loadKeys({ data, masterKey: null })
  const db = await openDb(readConfig({ LECTERN_DATA: data }))
  const { id: userId } = await transact(db, async trx =>
    unlessRefused(
      await createUser(trx, { email: 'a@example.com', username: 'a' }, 'none', Date.now()),
      accountProblems,
    ),
  )
  let attempts = 0
  const worker = createWorker({
    db,
    keys,
    poster,
    schedule: [0, 30, 300],
    log: pino({ level: 'silent' }),
    now: Date.now,
    publish,
    onAttempt: () => {
      attempts++
    },
  })
  return {
    db,
    worker,
    attempts: () => attempts,
    space: (url: string) =>
      transact(db, async trx => {
        const spaceId = await createSpace(trx, userId, { name: 'Bench' }, 'team', Date.now())
        await createWebhook(trx, keys, spaceId, url, newSecret(), Date.now())
        return spaceId
      }),
    record: async (spaceId: string, count: number, wake = worker.wake) => {
      for (let done = 0; done < count; done += 100)
        await transact(db, async trx => {
          for (let n = 0; n < Math.min(100, count - done); n++) await recordEvent(trx, event(spaceId), Date.now(), wake)
        })
    },
  }
}

const ours = async () => {
  const outbox = await openOutbox()
  const spaceId = await outbox.space(receiver)
  const drained = async (count: number) => {
    while (outbox.attempts() < count) await sleep(2)
    // The last results are recorded when nothing is pending any more.
    while ((await queueState(outbox.db)).depth > 0) await sleep(1)
  }
  await outbox.record(spaceId, WARM_UP)
  await drained(WARM_UP)
  await outbox.record(spaceId, COUNT, () => {})
  const started = performance.now()
  outbox.worker.start()
  await drained(WARM_UP + COUNT)
  return (COUNT / (performance.now() - started)) * 1000
}

const delays = async (hung: number) => {
  const outbox = await openOutbox()
  const healthy = await outbox.space(receiver)
  for (let n = 0; n < hung; n++) await outbox.record(await outbox.space(`${receiver}/hang`), 5)
  const send = () =>
    transact(outbox.db, trx =>
      recordEvent(trx, { ...event(healthy), at: String(wallClock()) }, Date.now(), outbox.worker.wake),
    )
  for (let n = 0; n < 500; n++) await send().then(() => sleep(2))
  await (await fetch(receiver)).json()
  for (let n = 0; n < 1500; n++) await send().then(() => sleep(3))
  await sleep(200)
  return (await (await fetch(receiver)).json()) as number[]
}

const memory = async () => {
  const outbox = await openOutbox()
  const spaceId = await outbox.space(`${receiver}/hang`)
  outbox.worker.start()
  await outbox.record(spaceId, 1000)
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  await outbox.record(spaceId, 100_000)
  await sleep(1000)
  globalThis.gc?.()
  return (process.memoryUsage.rss() - before) / 1024 / 1024
}

const measurements: Record<string, () => Promise<unknown>> = {
  ours,
  bare,
  delay: () => delays(0),
  'delay-hung': () => delays(100),
  memory,
}
const measurement = measurements[mode ?? '']
if (!measurement) throw new Error(`there is no measurement ${mode}`)
console.log(JSON.stringify(await measurement()))
process.exit()
