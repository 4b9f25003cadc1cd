import type { StreamTargetState } from '../../contract/streams.ts'
import type { CapturedCall } from '../recording/captures.ts'

export interface StreamingHandlers {
  /** A segment is whole; the file is gone once this is done. */
  onSegment: (segment: { file: string; durationMs: number }) => Promise<void>
  /** Of the RTMP address, if there is one. */
  onTarget: (state: StreamTargetState) => void
}

export interface Streaming {
  /** False: it was lost, and may be begun again. Nothing runs any more by then. Never rejects. */
  ended: Promise<boolean>
  /** Gives what is under way, and ends. */
  stop: () => void
  /** Ends at once. */
  cancel: () => void
}

/** Streams calls from this node. */
export interface Streamer {
  /** Why nothing can be streamed here, and what to do about it; null: it can. */
  trouble: () => string | null
  /** `url`: an RTMP address to stream to as well. */
  stream: (call: CapturedCall, url: string | null, handlers: StreamingHandlers) => Streaming
}
