import type * as delivery from '../../server/delivery/worker.ts'
import { transact } from '../../server/store/db.ts'
import { recordEvent } from '../../server/store/deliveries.ts'
import type { Db } from '../../server/store/tables.ts'
import type { Lectern } from './lectern.ts'

/*
 * Events are recorded by the service itself, inside its own transactions. A test that records one goes the same way,
 * through the running service's database and worker, which this keeps hold of:
 *
 *   vi.mock('…/server/delivery/worker.ts', async original => (await import('…/support/events.ts')).watched(await original()))
 */

let latest: { options: delivery.WorkerOptions; worker: delivery.Worker } | undefined

export const watched = (original: typeof delivery): typeof delivery => ({
  ...original,
  createWorker(options) {
    const worker = original.createWorker(options)
    latest = { options, worker }
    return worker
  },
})

type Event = Parameters<typeof recordEvent>[1]

export interface LecternWithEvents extends Lectern {
  db: Db
  now: () => number
  poster: delivery.WorkerOptions['poster']
  /** As when something happens in a room of the space. */
  record: (spaceId: string, fields?: Partial<Event>) => Promise<void>
  /** Lets the worker look at once, where only the clock was moved. */
  wake: (spaceId: string) => Promise<void>
}

/** For the service that was started last. */
export const withEvents = (lectern: Lectern): LecternWithEvents => {
  if (!latest) throw new Error('the worker is not watched: see above')
  const { options, worker } = latest
  latest = undefined
  const { db, now, poster } = options
  return {
    ...lectern,
    db,
    now,
    poster,
    async record(spaceId, fields) {
      const event = {
        eventName: 'call_started' as const,
        roomId: '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10',
        spaceId,
        callId: '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d11',
        occurredAt: new Date(now()).toISOString(),
        ...fields,
      }
      await transact(db, trx => recordEvent(trx, event, now(), worker.wake))
    },
    async wake(spaceId) {
      const webhook = await db.selectFrom('webhooks').select('id').where('spaceId', '=', spaceId).executeTakeFirst()
      if (webhook) worker.wake(webhook.id)
    },
  }
}
