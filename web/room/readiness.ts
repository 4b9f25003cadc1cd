import { useQuery } from '@tanstack/react-query'
import type { MediaStatus, Readiness } from '../../contract/service.ts'

type Media = Pick<Readiness, 'media' | 'mediaPercent'>
export type PendingMedia = Media & { media: Exclude<MediaStatus, 'ready' | 'off' | 'failed'> }

/** The engine is not ready yet, but will be. */
export const isPending = (readiness: Media | undefined): readiness is PendingMedia =>
  readiness !== undefined && !['ready', 'off', 'failed'].includes(readiness.media)

export const starting: PendingMedia = { media: 'starting', mediaPercent: null }

const read = async () => (await (await fetch('/readyz')).json()) as Media

export const readinessKey = ['readiness']

/** Whether the media engine can be joined: looked at again and again until it can. */
export const useReadiness = () =>
  useQuery({
    queryKey: readinessKey,
    queryFn: read,
    // Nothing is kept for the next visit of the lobby.
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.media === 'ready' ? false : 2000),
  })
