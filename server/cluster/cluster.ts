import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Keys } from '../identity/keys.ts'
import type { Db, Trx } from '../store/tables.ts'
import type { Notice } from './notices.ts'

export interface Listener {
  /** Another node, or a command, has committed this. */
  onNotice: (notice: Notice) => void
  /** Something may have been committed elsewhere that nobody told of: what is known from before is read again. */
  onMissed: () => void
  /** Whether this node can do the work of the lead. If not, others try. */
  canLead: () => boolean
}

/** What a node shares with the others that serve the same database. */
export interface Cluster {
  /** By a clock that is the same on all nodes. Ids are made by it too, since lists are in the order of ids. */
  now: () => number
  /** Whether this node does what one node does for all: reconcile calls, end them, clean up. */
  isLead: () => boolean
  /** Tells all other nodes, once the transaction is committed. */
  publish: (trx: Trx, notice: Notice) => Promise<void>
  listen: (listener: Listener) => void
  /** Leaves the lead to others, for good; notices still arrive. */
  resign: () => Promise<void>
  leave: () => Promise<void>
}

export interface ClusterOptions {
  config: Config
  keys: Keys
  db: Db
  log: FastifyBaseLogger
}
