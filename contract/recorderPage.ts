import type { Spotlight } from './callControls.ts'
import type { ParticipantRole } from './calls.ts'
import type { RoomType } from './rooms.ts'

/* What the service and its page that records a call tell each other, over a pipe that nobody else has. */

/** What the service knows of the call that the engine does not tell. */
export interface Scene {
  roomType: RoomType
  spotlight: Spotlight | null
  participants: { participantId: string; name: string; role: ParticipantRole; handRaisedAt: string | null }[]
}

export interface RecorderAccess {
  mediaUrl: string
  mediaToken: string
}

export interface RecorderStart {
  scene: Scene
  access: RecorderAccess
  width: number
  height: number
  frameRate: number
  videoBitsPerSecond: number
  /** How often what was recorded is handed over. */
  fragmentMs: number
}

/** As the service calls it. */
export interface RecorderPage {
  /** Rejects with why nothing can be recorded. */
  start: (start: RecorderStart) => Promise<void>
  /** The last fragment is told before `done`. */
  stop: () => void
  show: (scene: Scene) => void
  /** After it has asked for it, since it lost its connection. */
  connect: (access: RecorderAccess) => void
}

/** What the page tells. Fragments are base64. */
export type RecorderMessage =
  | { type: 'ready' }
  | { type: 'begun' }
  | { type: 'fragment'; data: string }
  | { type: 'done' }
  | { type: 'ask'; what: 'scene' | 'access' }
