import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { LecternError } from '../../../client/error.ts'
import { isTransient } from '../../ui/problem.ts'

/** How often is asked again for what changes while it is looked at: the call going on, and what comes of it. */
export const REFRESH_MS = 3000

export const sessionKey = ['session']

/** The session is over and could not be renewed: whatever page is open leads to the sign-in, and back. */
const onError = (error: unknown) => {
  if (error instanceof LecternError && (error.code === 'token_required' || error.code === 'token_invalid'))
    queryClient.setQueryData(sessionKey, null)
}

const retry = (failures: number, error: unknown) => failures < 2 && isTransient(error)

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: { queries: { retry, staleTime: 10_000 } },
})

// Within the event that changed it: a checkbox that is shown as it was, even for a moment, was not ticked.
notifyManager.setScheduler(queueMicrotask)

/** Everything under this key is asked for again, and is there anew once this is done. */
export const renew = (...queryKey: string[]) => queryClient.invalidateQueries({ queryKey })
