import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { codeOf } from '../../ui/api.ts'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { NotFoundPage } from '../shell/NotFoundPage.tsx'
import { Page } from './Page.tsx'
import { PageSkeleton } from './PageSkeleton.tsx'

/** For pages that are nothing without this: in its place, what it will look like, or why it is not there. */
export const LoadedPage = <T,>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) => {
  const { t } = useTranslation()
  if (codeOf(query.error) === 'not_found') return <NotFoundPage />
  if (query.data !== undefined) return children(query.data)
  if (query.isPending) return <PageSkeleton />
  return (
    <Page title={t('failed.title')}>
      <ProblemNotice error={query.error} onRetry={() => query.refetch()} />
    </Page>
  )
}
