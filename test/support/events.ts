import { vi } from 'vitest'
import type { EventBody, EventName } from '../../contract/events.ts'
import type { Attempt } from '../../contract/webhooks.ts'
import { transact } from '../../server/store/db.ts'
import { recordEvent } from '../../server/store/events.ts'
import type { Db } from '../../server/store/tables.ts'
import type { Lectern } from './lectern.ts'
import type { Receiver } from './receiver.ts'

type Fields = { eventName?: EventName } & Record<string, string | null>

export interface LecternWithEvents extends Lectern {
  db: Db
  /** As when something happens in a room of the space. */
  record: (spaceId: string, fields?: Fields) => Promise<void>
  /** Moves the clock, and lets the worker see at once what is due by then. */
  pass: (milliseconds: number, webhook: OpenedWebhook) => void
}

/** Events without calls: recorded as the service does it, in a transaction of its own database. */
export const withEvents = (lectern: Lectern): LecternWithEvents => {
  const { running, now } = lectern
  const { db, deliveries } = running
  return {
    ...lectern,
    db,
    async record(spaceId, fields) {
      const event = {
        eventName: 'call_started' as const,
        roomId: '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10',
        spaceId,
        callId: '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d11',
        occurredAt: new Date(now()).toISOString(),
        ...fields,
      }
      await transact(db, trx => recordEvent(trx, event as EventBody, now(), deliveries.wake))
    },
    pass(milliseconds, { webhookId }) {
      lectern.advance(milliseconds)
      deliveries.wake(webhookId)
    },
  }
}

/** An owner with a webhook in a space of its own, at a path of its own unless told, and what a test wants to know of it. */
export const openWebhook = async (lectern: LecternWithEvents, receiver: Receiver, elsewhere?: string) => {
  const owner = await lectern.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const path = `/${spaceId}`
  const url = elsewhere ?? receiver.url + path
  const { secret } = await owner.createWebhook({ spaceId, url })
  const webhook = () =>
    lectern.db.selectFrom('webhooks').selectAll().where('spaceId', '=', spaceId).executeTakeFirstOrThrow()
  /** Needs no token, so it works wherever the clock is. Oldest first. */
  const deliveries = async () => {
    const rows = await lectern.db
      .selectFrom('deliveries')
      .selectAll()
      .where('spaceId', '=', spaceId)
      .orderBy('id')
      .execute()
    return rows.map(({ attempts, ...row }) => ({ ...row, attempts: JSON.parse(attempts) as Attempt[] }))
  }
  return {
    owner,
    spaceId,
    webhookId: (await webhook()).id,
    path,
    url,
    secret,
    webhook,
    deliveries,
    states: async () => (await deliveries()).map(({ state }) => state),
    callbacks: () => receiver.at(path),
  }
}
export type OpenedWebhook = Awaited<ReturnType<typeof openWebhook>>

export const until = <T>(check: () => T | Promise<T>, timeout = 10_000) => vi.waitFor(check, { timeout, interval: 10 })
