import type { EventBody, EventBodyOf, EventName } from '../../contract/events.ts'
import { type Listening, recordEvent, wants } from '../store/events.ts'
import type { Trx } from '../store/tables.ts'
import { isoTime } from '../times.ts'

type Fields<N extends EventName> = Omit<EventBodyOf<N>, 'eventName' | 'spaceId' | 'occurredAt'>

/**
 * Tells the space's webhook of a change, in the transaction of that change, if it wants to know. What takes a query to
 * tell is given by a function, which is called only then; null: there is nothing to tell after all.
 */
export type Tell = <N extends EventName>(
  trx: Trx,
  at: Listening,
  eventName: N,
  fields: Fields<N> | (() => Promise<Fields<N> | null>),
) => Promise<void>

export const createTell =
  (now: () => number, wake: (webhookId: string) => void): Tell =>
  async (trx, at, eventName, given) => {
    if (!wants(at, eventName)) return
    const fields = typeof given === 'function' ? await given() : given
    if (!fields) return
    const { roomId, ...others } = fields as Fields<EventName>
    const body: object = { eventName, roomId, spaceId: at.space.id, occurredAt: isoTime(now()), ...others }
    await recordEvent(trx, body as EventBody, now(), wake)
  }
