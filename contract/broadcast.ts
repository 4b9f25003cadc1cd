import type { Reaction } from './callControls.ts'
import type { Message } from './messages.ts'

/*
 * Broadcast to everyone in a call over the media connection: data messages from the server, JSON under a topic.
 * A page that missed one reads the same over the API. What tells of a message to the hosts goes to them and its author.
 */

export interface BroadcastData {
  /** `changed`: a question was marked as answered, or as unanswered again. */
  chat: { type: 'message' | 'changed'; message: Message } | { type: 'deleted'; id: string }
  /** Those of a moment together, and no more than a page can show. */
  reactions: { type: 'reactions'; items: { participantId: string; reaction: Reaction }[] }
  /** A hand, the floor, the spotlight, a name, a role, rights, the recording, the live stream or the participants changed: read `getLiveCall` again. */
  call: { type: 'changed' }
  /** To moderators alone. Somebody waits to be let in, or no longer: read `listWaiting` again. */
  waiting: { type: 'changed' }
}
