import type { Config } from '../config.ts'
import type { Worker } from '../delivery/worker.ts'
import type { Keys } from '../identity/keys.ts'
import type { Passwords } from '../identity/passwords.ts'
import type { PersonalTokens } from '../identity/personalTokens.ts'
import type { TokenMint } from '../identity/tokens.ts'
import type { Live } from '../live/live.ts'
import type { Media } from '../media/media.ts'
import type { Recordings } from '../recording/recordings.ts'
import type { RecordStorage } from '../recording/storage.ts'
import type { Db } from '../store/tables.ts'
import type { Streams } from '../streaming/streams.ts'
import type { Viewers } from '../streaming/viewers.ts'
import type { Limits } from './limits.ts'
import type { Metrics } from './observe.ts'
import type { Tell } from './tell.ts'

/** What the routes work with. */
export interface Context {
  config: Config
  /** Where browsers reach us: scheme, host and port. Known once the server listens. */
  publicOrigin: () => string
  /** Answers go out, but nobody should ask more on the same connection. */
  isStopping: () => boolean
  db: Db
  keys: Keys
  mint: TokenMint
  personalTokens: PersonalTokens
  passwords: Passwords
  limits: Limits
  media: Media
  live: Live
  recordings: Recordings
  storage: RecordStorage
  streams: Streams
  viewers: Viewers
  deliveries: Pick<Worker, 'wake' | 'cut'>
  tell: Tell
  metrics: Metrics
  now: () => number
}
