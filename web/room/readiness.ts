import { useQuery } from '@tanstack/react-query'

export type Readiness = { media: 'ready' | 'off' | 'failed' } | { media: 'preparing'; percent: number | null }

const read = async (): Promise<Readiness> => {
  const { media } = (await (await fetch('/readyz')).json()) as { media: string }
  if (media === 'ready' || media === 'off' || media === 'failed') return { media }
  const [percent] = /\d+/.exec(media) ?? []
  return { media: 'preparing', percent: percent === undefined ? null : Number(percent) }
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
