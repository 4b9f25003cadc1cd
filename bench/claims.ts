import { transact } from '../server/store/db.ts'
import { claimDue, type Delivery, lastAttempt, recordAttempts } from '../server/store/deliveries.ts'
import { findWebhook } from '../server/store/webhooks.ts'
import { createDatabase, fillDeliveries, run } from './databases.ts'
import { compare } from './load.ts'
import { openOutbox } from './outbox.ts'
import { MANY_LOGGED, withCommas } from './sizes.ts'

const FEW_LOGGED = 100_000
const TURNS = 50
const AT_ONCE = 100
const AT_MOST = 1.5

const delivered = (delivery: Delivery): Delivery => {
  Object.assign(lastAttempt(delivery), { status: 200, durationMs: 1, outcome: 'success' })
  return { ...delivery, state: 'delivered', nextAttemptAt: null }
}

/** A queue with so many deliveries of the same webhook in its log: how many are claimed a second. */
const queueBeside = async (server: string, name: string, logged: number) => {
  const database = await createDatabase(server, name)
  const outbox = await openOutbox({ DATABASE_URL: database })
  const { db } = outbox
  const spaceId = await outbox.space('https://receiver.example/')
  const webhook = await findWebhook(db, spaceId)
  await fillDeliveries(database, logged, 'logged')
  await run(database, 'VACUUM ANALYZE deliveries', 'CHECKPOINT')
  return async () => {
    let spent = 0
    for (let turn = 0; turn < TURNS; turn++) {
      await outbox.record(spaceId, AT_ONCE, () => {})
      const now = Date.now()
      const started = performance.now()
      const claimed = await transact(db, trx => claimDue(trx, webhook?.id ?? '', AT_ONCE, () => now + 60_000, now))
      spent += performance.now() - started
      if (claimed.length !== AT_ONCE) throw new Error(`${claimed.length} were claimed of ${AT_ONCE}`)
      await transact(db, trx => recordAttempts(trx, claimed.map(delivered)))
    }
    return ((TURNS * AT_ONCE) / spent) * 1000
  }
}

export const benchClaims = async (server: string) =>
  compare({
    name: `claiming beside ${withCommas(MANY_LOGGED)} logged against ${withCommas(FEW_LOGGED)}`,
    yardstick: await queueBeside(server, 'few_logged', FEW_LOGGED),
    ours: await queueBeside(server, 'many_logged', MANY_LOGGED),
    atLeast: 1 / AT_MOST,
  })
