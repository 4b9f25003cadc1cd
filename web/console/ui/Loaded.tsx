import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'

/** The shape of what comes, then what came, or why it did not. */
export const Loaded = <T,>({
  query,
  skeleton,
  children,
}: {
  query: UseQueryResult<T>
  skeleton: ReactNode
  children: (data: T) => ReactNode
}) => {
  if (query.data !== undefined) return children(query.data)
  if (query.isPending) return skeleton
  return <ProblemNotice error={query.error} onRetry={() => query.refetch()} />
}
