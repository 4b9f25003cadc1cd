import { Button, Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import type { Pages } from '../../ui/pages.ts'
import { Records, type RecordsProps } from './Records.tsx'

const SkeletonRows = () => (
  <Stack gap="md" aria-hidden py="sm">
    {[70, 55, 62].map(width => (
      <Skeleton key={width} h={20} w={`${width}%`} />
    ))}
  </Stack>
)

interface PagedRecordsProps<T> extends Omit<RecordsProps<T>, 'records'> {
  pages: Pages<T>
  empty: ReactNode
}

/** A list that comes page by page: its shape while it loads, what it is for while it is empty, and the way to more. */
export const PagedRecords = <T,>({ pages, empty, ...table }: PagedRecordsProps<T>) => {
  const { t } = useTranslation()
  if (pages.isPending) return <SkeletonRows />
  if (pages.data === undefined) return <ProblemNotice error={pages.error} onRetry={() => pages.refetch()} />
  if (pages.data.length === 0) return empty
  return (
    <Stack gap="sm">
      <Records {...table} records={pages.data} />
      {pages.isFetchNextPageError && <ProblemNotice error={pages.error} />}
      {pages.hasNextPage && (
        <Button
          variant="default"
          onClick={() => pages.fetchNextPage()}
          loading={pages.isFetchingNextPage}
          style={{ alignSelf: 'center' }}
        >
          {t('showMore')}
        </Button>
      )}
    </Stack>
  )
}
