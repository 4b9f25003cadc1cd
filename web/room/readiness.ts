import { useQuery } from '@tanstack/react-query'
import type { Readiness as Answer } from '../../contract/service.ts'

export interface Preparation {
  media: 'preparing'
  step: 'starting' | 'downloading' | 'building'
  percent: number | null
}

export type Readiness = { media: 'ready' | 'off' | 'failed' } | Preparation

export const starting: Preparation = { media: 'preparing', step: 'starting', percent: null }

const steps = {
  preparing: 'building',
  downloading: 'downloading',
  starting: 'starting',
  unavailable: 'starting',
} as const

const read = async (): Promise<Readiness> => {
  const { media, mediaPercent: percent } = (await (await fetch('/readyz')).json()) as Answer
  if (media === 'ready' || media === 'off' || media === 'failed') return { media }
  return { media: 'preparing', step: steps[media], percent }
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
