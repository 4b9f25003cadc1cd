import type { Message } from './messages.ts'

/*
 * What is broadcast to everyone in a call over the media connection: data messages of the server, JSON under a topic.
 * Whoever was not there, or missed one, reads the same over the interface.
 */

export interface BroadcastData {
  chat: { type: 'message'; message: Message } | { type: 'deleted'; id: string }
  /** A hand, the floor, someone's role or rights, or who is there: read `getCall` again. */
  call: { type: 'changed' }
}
