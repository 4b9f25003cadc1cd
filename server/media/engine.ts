/** The engine does not answer, or cannot do now what it was asked: it may well do it later. */
export class EngineFailure extends Error {
  override name = 'EngineFailure'

  constructor(cause: unknown) {
    super(`the media engine failed: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/** What a participant may send. All false: they watch and listen. */
export interface MediaRights {
  camera: boolean
  microphone: boolean
  screen: boolean
}
export type MediaSource = keyof MediaRights

export interface MediaParticipant {
  participantId: string
  name: string
  rights: MediaRights
  /** For us to read when they connect; it means nothing to the engine. */
  ticket: object | null
}

const RECORDER = 'recorder:'
/** As whom a recorder is in the channel: nobody sees it there. */
export const recorderOf = (captureId: string) => `${RECORDER}${captureId}`
export const isRecorder = (participantId: string) => participantId.startsWith(RECORDER)

/** What a genuine media token says. */
export interface MediaBearer {
  participantId: string
  channelId: string
  /** Only in the token of joining, not in those that the engine itself hands out to go on with. */
  ticket: unknown
}

/** One connection of a participant. A reload is another connection of the same participant. */
export interface MediaPresence {
  participantId: string
  connectionId: string
  joinedAt: number
  /** What they may send at that moment; null: not known, or nothing that we would ever have said. */
  rights: MediaRights | null
  /** What they are called there at that moment. */
  name: string
}

/** False: they only signal, and may never come to see or hear anything. */
export interface ListedPresence extends MediaPresence {
  hasMedia: boolean
}

/**
 * What the engine tells of. May come late, twice and out of order. `joined` is told once media flows, `aborted` of who
 * has gone before that.
 */
export type MediaEvent = { id: string; at: number; channelId: string } & (
  | ({ kind: 'joined' | 'left' | 'aborted' } & MediaPresence)
  | { kind: 'closed' }
)

/**
 * The live part of a broadcast, as joining and calls need it. A channel is one room's live session, named by the
 * room's `channelId`. What concerns someone or something that is gone already does nothing.
 */
export interface MediaEngine {
  /** So that it is there to connect to; on another node, if the one that had it is no more. */
  open(channelId: string): Promise<unknown>
  /** Opens the channel if need be and gives the media token to connect with, within a minute. */
  createToken(channelId: string, participant: MediaParticipant): Promise<string>
  /** For one that sees and hears everyone, and is seen by nobody; events and lists leave it out. */
  createRecorderToken(channelId: string, captureId: string): Promise<string>
  /** Whom a genuine media token lets in where, else null. */
  readToken(token: string): Promise<MediaBearer | null>
  /** A genuine event that matters to us, else null. Throws when it is not genuine. */
  readEvent(body: string, authorization: string | undefined): Promise<MediaEvent | null>
  /** `name` null: they are called as before. */
  setRights(channelId: string, participantId: string, rights: MediaRights, name: string | null): Promise<void>
  mute(channelId: string, participantId: string, source: MediaSource): Promise<void>
  remove(channelId: string, participantId: string): Promise<void>
  /** Disconnects everyone. */
  close(channelId: string): Promise<void>
  /** Another node has closed it: it is not open any more. */
  forget(channelId: string): void
  /** To everyone in the channel, or only these participants, over their media connection. */
  send(channelId: string, topic: string, data: unknown, to?: string[]): Promise<void>
  /** All that are open, others' too: nobody says that the engine is ours alone. */
  channels(): Promise<string[]>
  /** Who is in the channel now. */
  listIn(channelId: string): Promise<ListedPresence[]>
  /** The truth to reconcile with: who is in each of these channels now. null: of this one it cannot tell. */
  list(channelIds: Iterable<string>): Promise<Map<string, ListedPresence[] | null>>
}
