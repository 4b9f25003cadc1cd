import type { FastifyBaseLogger } from 'fastify'
import type { BroadcastData } from '../../contract/broadcast.ts'
import type { Media } from '../media/media.ts'
import { countInsideChannel, listModeratorsIn } from '../store/calls.ts'
import type { Db } from '../store/tables.ts'
import { createGather } from './gather.ts'

/** Many may join at once, and everyone inside is told: a millisecond for each. */
const GATHER_MS = { least: 200, most: 2000 }

/** Many may applaud at once: of a moment no more than a page can show. */
const REACTIONS = { gatherMs: 250, most: 50 }

type ReactionOf = BroadcastData['reactions']['items'][number]

export interface Broadcast {
  /** `to`: only to these participants. */
  send: <T extends keyof BroadcastData>(channelId: string, topic: T, data: BroadcastData[T], to?: string[]) => void
  /** What `getLiveCall` returns has changed. Changes in quick succession are sent once. */
  callChanged: (channelId: string) => void
  /** What `listWaiting` returns has changed. Sent as `callChanged` is, to moderators. */
  waitingChanged: (channelId: string) => void
  /** Those that come close together are sent together. */
  react: (channelId: string, reaction: ReactionOf) => void
}

/** To everyone in a call, or its moderators, over their media connection. To be called once the change is committed. */
export const createBroadcast = (db: Db, media: Pick<Media, 'engine'>, log: FastifyBaseLogger): Broadcast => {
  const gather = createGather(async channelId => {
    const inside = await countInsideChannel(db, channelId).catch(() => 0)
    return Math.min(Math.max(inside, GATHER_MS.least), GATHER_MS.most)
  })

  const gatherWaiting = createGather(() => GATHER_MS.least)

  const warn = (error: unknown) => log.warn({ err: error }, 'a broadcast to the participants of a call failed')

  const send: Broadcast['send'] = (channelId, topic, data, to) => {
    media.engine()?.control.send(channelId, topic, data, to).catch(warn)
  }

  const sendToModerators = async <T extends keyof BroadcastData>(
    channelId: string,
    topic: T,
    data: BroadcastData[T],
  ) => {
    const moderators = await listModeratorsIn(db, channelId)
    await media.engine()?.control.send(channelId, topic, data, moderators)
  }

  const gatherReactions = createGather(() => REACTIONS.gatherMs)
  const reactions = new Map<string, ReactionOf[]>()

  return {
    send,
    react(channelId, reaction) {
      const items = reactions.get(channelId) ?? []
      reactions.set(channelId, items)
      if (items.length < REACTIONS.most) items.push(reaction)
      gatherReactions(channelId, () => {
        reactions.delete(channelId)
        send(channelId, 'reactions', { type: 'reactions', items })
      })
    },
    callChanged: channelId => gather(channelId, () => send(channelId, 'call', { type: 'changed' })),
    waitingChanged: channelId =>
      gatherWaiting(channelId, () => {
        sendToModerators(channelId, 'waiting', { type: 'changed' }).catch(warn)
      }),
  }
}
