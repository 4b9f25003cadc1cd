import { join } from 'node:path'
import { pino } from 'pino'
import { publish } from '../server/cluster/notices.ts'
import { readConfig } from '../server/config.ts'
import { createPoster } from '../server/delivery/post.ts'
import { newSecret } from '../server/delivery/sign.ts'
import { createWorker } from '../server/delivery/worker.ts'
import { unlessRefused } from '../server/http/problem.ts'
import { accountProblems } from '../server/identity/accounts.ts'
import { loadKeys } from '../server/identity/keys.ts'
import { newId } from '../server/ids.ts'
import { openDb, transact } from '../server/store/db.ts'
import { recordEvent } from '../server/store/events.ts'
import { createSpace } from '../server/store/spaces.ts'
import { createUser } from '../server/store/users.ts'
import { createWebhook } from '../server/store/webhooks.ts'
import { temporaryFolder } from './processes.ts'

export const event = (spaceId: string) => ({
  eventName: 'call_started' as const,
  roomId: newId(Date.now()),
  spaceId,
  callId: newId(Date.now()),
  occurredAt: new Date().toISOString(),
})

/** The real worker over the real outbox of a fresh installation, and nothing around them. */
export const openOutbox = async (environment: Record<string, string> = {}) => {
  const config = readConfig({ LECTERN_DATA: join(temporaryFolder(), 'data'), ...environment })
  const keys = loadKeys(config)
  const db = await openDb(config)
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
    poster: createPoster(true),
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
        const space = await createSpace(trx, userId, { name: 'Bench' }, 'team', Date.now())
        if (typeof space === 'string') throw new Error(space)
        const { id: spaceId } = space
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
