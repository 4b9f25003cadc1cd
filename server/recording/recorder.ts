import type { CapturingEnd } from './captures.ts'

/** What a recorder has made of what it captured. */
export interface RecordedFile {
  /** On this machine, for the storage to take. */
  file: string
  /** null: it can't be told. */
  durationMs: number | null
  size: number
  /** A picture from it (JPEG), likewise. */
  picture?: string | null
}

/** How capturing came to its end: as asked, or why not. */
export type CaptureEnd = CapturingEnd | 'disk_full'

export interface Capture {
  /** Whether it has begun; false: it ended before. */
  began: Promise<boolean>
  /** Everything captured is on disk by then, and nothing runs any more. Never rejects. */
  ended: Promise<CaptureEnd>
  /** Bytes captured so far. */
  size: () => number
  /** Captures what is under way, and ends. */
  stop: () => void
  /** Ends at once. */
  cancel: () => void
}

/**
 * Records calls on this node. What it captures is on disk as it goes, under the id of the recording, so that another
 * process can finish what this one has begun. (LiveKit's Egress could stand behind this as well.)
 */
export interface Recorder {
  /** Why nothing can be recorded here, and what to do about it; null: it can. */
  trouble: () => string | null
  capture: (record: { id: string; callId: string; channelId: string }) => Capture
  /** Whether there is something captured here of which a file could be made. */
  hasCaptured: (id: string) => Promise<boolean>
  /**
   * Makes the file. `lastMs`: no longer than that. null: nothing was captured. Throws when it could not be made; then
   * `keepAsIs` gives what was captured. Either way that stays here until it is discarded, so that it can be done again.
   */
  finish: (id: string, lastMs: number | null, signal: AbortSignal) => Promise<RecordedFile | null>
  keepAsIs: (id: string) => Promise<RecordedFile | null>
  /** Forgets what was captured. */
  discard: (id: string) => Promise<void>
  /** The ids of what was captured here a day ago or earlier, and not discarded. */
  listOld: () => Promise<string[]>
}
