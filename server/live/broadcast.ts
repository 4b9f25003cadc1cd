import type { FastifyBaseLogger } from 'fastify'
import type { BroadcastData } from '../../contract/broadcast.ts'
import type { Media } from '../media/media.ts'
import { createGather } from './gather.ts'

/** Many may join at once, and every page that hears of it reads the call again. */
const GATHER_MS = 200

export interface Broadcast {
  send: <T extends keyof BroadcastData>(channelId: string, topic: T, data: BroadcastData[T]) => void
  /** What `getCall` returns has changed. Changes in quick succession are sent once. */
  callChanged: (channelId: string) => void
}

/** To everyone in a call, over their media connection. To be called once the change is committed. */
export const createBroadcast = (media: Pick<Media, 'engine'>, log: FastifyBaseLogger): Broadcast => {
  const gather = createGather(GATHER_MS)

  const send: Broadcast['send'] = (channelId, topic, data) => {
    media
      .engine()
      ?.control.send(channelId, topic, data)
      .catch(error => log.warn({ err: error }, 'a broadcast to the participants of a call failed'))
  }

  return {
    send,
    callChanged: channelId => gather(channelId, () => send(channelId, 'call', { type: 'changed' })),
  }
}
