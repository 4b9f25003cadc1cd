import { keepPreviousData, type QueryKey, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'

export type Pages<T> = UseInfiniteQueryResult<T[]>

interface PageOf<T> {
  items: T[]
  nextCursor: string | null
}

/** A list of the interface, fetched as far as it is looked at. */
export const usePages = <T>(
  queryKey: QueryKey,
  load: (query: { cursor?: string }) => Promise<PageOf<T>>,
  {
    keepsShown,
    ...options
  }: { enabled?: boolean; refetchInterval?: number; gcTime?: number; keepsShown?: boolean } = {},
): Pages<T> =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam === undefined ? {} : { cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.nextCursor ?? undefined,
    select: ({ pages }) => pages.flatMap(page => page.items),
    // Of a search, what was found before stands until there is another answer.
    ...(keepsShown && { placeholderData: keepPreviousData }),
    ...options,
  })
