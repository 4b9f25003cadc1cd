import { useQuery } from '@tanstack/react-query'

interface Preparing {
  media: 'preparing'
  step: 'starting' | 'downloading' | 'building'
  percent: number | null
}

export type Readiness = { media: 'ready' | 'off' | 'failed' } | Preparing

export const starting: Preparing = { media: 'preparing', step: 'starting', percent: null }

const read = async (): Promise<Readiness> => {
  const { media } = (await (await fetch('/readyz')).json()) as { media: string }
  if (media === 'ready' || media === 'off' || media === 'failed') return { media }
  const [, percent] = /^preparing (\d+)/.exec(media) ?? []
  if (percent !== undefined) return { media: 'preparing', step: 'building', percent: Number(percent) }
  return media.startsWith('downloading') ? { ...starting, step: 'downloading' } : starting
}

export const readinessKey = ['readiness']

/** Whether the media engine can be joined: looked at again and again until it can. */
export const useReadiness = () =>
  useQuery({
    queryKey: readinessKey,
    queryFn: read,
    // Who comes back to the lobby asks anew.
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.media === 'ready' ? false : 2000),
  })
