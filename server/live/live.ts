import type { FastifyBaseLogger } from 'fastify'
import type { Media } from '../media/media.ts'
import { onCommit } from '../store/db.ts'
import type { Db, Row, Trx } from '../store/tables.ts'
import { type Broadcast, createBroadcast } from './broadcast.ts'
import { type Calls, createCalls } from './calls.ts'
import { createReconciler } from './reconciler.ts'
import { createRights, type Rights } from './rights.ts'
import { createWaiters, type Waiters } from './waiters.ts'

export type { WhereRightsChanged } from './rights.ts'

/** Calls: start and end, the rights of participants, broadcasts. The rest of the server imports nothing else from here. */
export interface Live {
  /** Whether the bearer of a media token may connect now. */
  allows: Rights['allows']
  handleEvent: Calls['handleEvent']
  /** Applies the current rights to one participant. */
  applyRights: (channelId: string, participantId: string) => Promise<void>
  /** Rights have changed in a room, in all rooms of a space, or anywhere: to be called once that is committed. */
  rightsChanged: Rights['rightsChanged']
  /** Ends the call, which is held, for all; they are disconnected once that is committed. */
  end: (trx: Trx, call: Row<'calls'>) => Promise<void>
  /** Disconnects everyone in the channel, once the transaction is committed. */
  close: (trx: Trx, channelId: string) => Promise<void>
  /** Sends this to everyone in the channel, or to some participants, once the transaction is committed. */
  broadcast: (trx: Trx, ...what: Parameters<Broadcast['send']>) => void
  /** What `getLiveCall` returns has changed, once the transaction is committed. */
  callChanged: (trx: Trx, channelId: string) => void
  /** What `listWaiting` returns has changed, once the transaction is committed. */
  waitingChanged: (trx: Trx, channelId: string) => void
  /** A moderator has decided about the person, or everyone, who waits there: they learn of it once it is committed. */
  entryDecided: (trx: Trx, room: Pick<Row<'rooms'>, 'id' | 'channelId'>, person: string | null) => Promise<void>
  waiters: Waiters
  /** Sends a reaction to everyone in the channel. */
  react: Broadcast['react']
  start: () => void
  stop: () => void
}

interface LiveOptions {
  db: Db
  /** For what no request waits for. */
  background: Db
  media: Media
  graceSeconds: number
  now: () => number
  wake: (webhookId: string) => void
  isLead: () => boolean
  /** Tells other nodes, once it is committed. */
  publishClosed: (trx: Trx, channelId: string) => Promise<void>
  publishDecision: (trx: Trx, roomId: string, person: string | null) => Promise<void>
  log: FastifyBaseLogger
}

export const createLive = ({
  db,
  background,
  media,
  graceSeconds,
  now,
  wake,
  isLead,
  publishClosed,
  publishDecision,
  log,
}: LiveOptions): Live => {
  const broadcast = createBroadcast(db, media, log)
  // People wait for their rights, so also the reconciler applies them over `db`.
  const rights = createRights({ db, media, broadcast, now, log })
  const callsOver = (db: Db) => createCalls({ db, rights, broadcast, graceSeconds, now, wake })
  const calls = callsOver(db)
  const reconciler = createReconciler({ db: background, media, calls: callsOver(background), rights, now, isLead, log })
  const close: Live['close'] = async (trx, channelId) => {
    onCommit(trx, () => reconciler.disconnect(channelId))
    await publishClosed(trx, channelId)
  }
  const waiters = createWaiters()
  return {
    allows: rights.allows,
    handleEvent: calls.handleEvent,
    applyRights: (channelId, participantId) => rights.apply(channelId, participantId),
    rightsChanged: rights.rightsChanged,
    async end(trx, call) {
      await calls.end(trx, call)
      await close(trx, call.channelId)
    },
    close,
    broadcast: (trx, ...what) => onCommit(trx, () => broadcast.send(...what)),
    callChanged: (trx, channelId) => onCommit(trx, () => broadcast.callChanged(channelId)),
    waitingChanged: (trx, channelId) => onCommit(trx, () => broadcast.waitingChanged(channelId)),
    async entryDecided(trx, { id, channelId }, person) {
      onCommit(trx, () => {
        waiters.wake(id, person)
        broadcast.waitingChanged(channelId)
      })
      await publishDecision(trx, id, person)
    },
    waiters,
    react: broadcast.react,
    start: reconciler.start,
    stop: reconciler.stop,
  }
}
