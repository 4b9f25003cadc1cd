import type { FastifyBaseLogger } from 'fastify'
import type { News } from '../../contract/news.ts'
import type { Media } from '../media/media.ts'

/** Many may come at once, and everyone told reads the call again. */
const GATHER_MS = 200

export interface Newscast {
  tell: <T extends keyof News>(channelId: string, topic: T, news: News[T]) => void
  /** Something `getCall` shows is another. What changes in quick succession is told once. */
  callChanged: (channelId: string) => void
}

/** To those in a call, over their media connection. To be called once what it tells of is committed. */
export const createNewscast = (media: Pick<Media, 'engine'>, log: FastifyBaseLogger): Newscast => {
  const gathering = new Set<string>()

  const tell: Newscast['tell'] = (channelId, topic, news) => {
    media
      .engine()
      ?.control.send(channelId, topic, news)
      .catch(error => log.warn({ err: error }, 'those in a call could not be told the news'))
  }

  return {
    tell,
    callChanged(channelId) {
      if (gathering.has(channelId)) return
      gathering.add(channelId)
      setTimeout(() => {
        gathering.delete(channelId)
        tell(channelId, 'call', { type: 'changed' })
      }, GATHER_MS).unref()
    },
  }
}
