/*
 * One measurement in a process of its own: `deliver.ts MODE RECEIVER`. Prints the result as JSON.
 * ours: deliveries per second of the real worker over the real outbox, from the event's record to the attempt's.
 * bare: the same POSTs with undici and nothing else, signed alike, from an array in memory, sixteen at a time.
 * delay, delay-hung: sends events at a steady pace, without and with a hundred hung receivers in other spaces.
 * memory: how many MB a hundred thousand queued events add.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { callbackHeaders, callbackPayload, newSecret } from '../server/delivery/sign.ts'
import { newId } from '../server/ids.ts'
import { transact } from '../server/store/db.ts'
import { queueState } from '../server/store/deliveries.ts'
import { recordEvent } from '../server/store/events.ts'
import { wallClock } from './clock.ts'
import { event, openOutbox } from './outbox.ts'

const [mode, receiver = ''] = process.argv.slice(2)
const WARM_UP = 3000
const COUNT = 6000
const WIDTH = 16

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
  const send = () => {
    const sent = { ...event(healthy), at: String(wallClock()) }
    return transact(outbox.db, trx => recordEvent(trx, sent, Date.now(), outbox.worker.wake))
  }
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
