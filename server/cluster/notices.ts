import type { WhereRightsChanged } from '../live/live.ts'
import { notify } from '../store/notify.ts'
import type { Trx } from '../store/tables.ts'

/**
 * What other nodes must act on at once. Only what is rare: PostgreSQL lets transactions that carry a notice commit one
 * after another.
 */
export type Notice =
  | { type: 'webhook'; webhookId: string; cut: Cut }
  | { type: 'rights'; where: WhereRightsChanged }
  /** The channel of a call that was ended: it has to be opened anew. */
  | { type: 'closed'; channelId: string }
  /** Somebody who waits to be let in, or everyone there (null), has to look again. */
  | { type: 'entry'; roomId: string; person: string | null }
  /** There is something to do for recorders. */
  | { type: 'records' }
  /** There is something to do for live streams. */
  | { type: 'streams' }

/** Of deliveries: what is under way too, or only what is not on its way yet. */
export type Cut = 'cancel' | 'recall'

export const NOTICES = 'lectern_notices'

/** `from`: the node, or null for a command. */
export interface Envelope {
  from: string | null
  notice: Notice
}

/** Tells the nodes once the transaction is committed. With SQLite there is one, which sees that the file has changed. */
export const publish = async (trx: Trx, notice: Notice, from: string | null = null) => {
  const envelope: Envelope = { from, notice }
  await notify(trx, NOTICES, JSON.stringify(envelope))
}
