import type { FastifyBaseLogger } from 'fastify'
import type { Media } from '../media/media.ts'
import { onCommit } from '../store/db.ts'
import type { Db, Row, Trx } from '../store/tables.ts'
import { type Broadcast, createBroadcast } from './broadcast.ts'
import { type Calls, createCalls } from './calls.ts'
import { createReconciler } from './reconciler.ts'
import { createRights, type Rights } from './rights.ts'

/** The live call: its life, the rights of those inside, and what they are told. All that the rest knows of it. */
export interface Live {
  /** Whether who bears a media token may connect with it at this moment. */
  allows: Rights['allows']
  /** Takes in an event of the engine. */
  handleEvent: Calls['handleEvent']
  /** Applies the rights of this moment to one participant. */
  applyRights: (channelId: string, participantId: string) => Promise<void>
  /** Rights have changed in a room, or in all rooms of a space: to be called once that is committed. */
  rightsChanged: Rights['rightsChanged']
  /** Ends the call, which is held, for all; they are sent away once that is committed. */
  end: (trx: Trx, call: Row<'calls'>) => Promise<void>
  /** Sends away whoever is in the channel, once the transaction is committed. */
  close: (trx: Trx, channelId: string) => void
  /** Sends this to everyone in the channel, once the transaction is committed. */
  broadcast: (trx: Trx, ...what: Parameters<Broadcast['send']>) => void
  /** Something `getCall` shows is another, once the transaction is committed. */
  callChanged: (trx: Trx, channelId: string) => void
  start: () => void
  stop: () => void
}

export interface LiveOptions {
  db: Db
  /** For what no request waits for. */
  background: Db
  media: Media
  graceSeconds: number
  now: () => number
  wake: (webhookId: string) => void
  log: FastifyBaseLogger
}

export const createLive = ({ db, background, media, graceSeconds, now, wake, log }: LiveOptions): Live => {
  const broadcast = createBroadcast(media, log)
  // People wait for their rights, whoever has them applied.
  const rights = createRights({ db, media, broadcast, now, log })
  const callsOver = (db: Db) => createCalls({ db, rights, broadcast, graceSeconds, now, wake })
  const calls = callsOver(db)
  const reconciler = createReconciler({ db: background, media, calls: callsOver(background), rights, now, log })
  const close: Live['close'] = (trx, channelId) => onCommit(trx, () => reconciler.disconnect(channelId))
  return {
    allows: rights.allows,
    handleEvent: calls.handleEvent,
    applyRights: (channelId, participantId) => rights.apply(channelId, participantId),
    rightsChanged: rights.rightsChanged,
    async end(trx, call) {
      await calls.end(trx, call)
      close(trx, call.channelId)
    },
    close,
    broadcast: (trx, ...what) => onCommit(trx, () => broadcast.send(...what)),
    callChanged: (trx, channelId) => onCommit(trx, () => broadcast.callChanged(channelId)),
    start: reconciler.start,
    stop: reconciler.stop,
  }
}
