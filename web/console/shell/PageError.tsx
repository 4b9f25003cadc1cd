import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRouteError } from 'react-router'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { Page } from '../ui/Page.tsx'
import { isReachable, Unreachable } from './unreachable.ts'

/** In place of a page that broke or could not be fetched, with the navigation around it. */
export const PageError = () => {
  const { t } = useTranslation()
  const error = useRouteError()
  // Some browsers do not fetch again what they could not fetch once: only a new load of the page does.
  const retry = async () => (await isReachable()) && location.reload()
  if (error instanceof Unreachable)
    return (
      <Page title={t('failed.title')}>
        <ProblemNotice error={error} onRetry={retry} />
      </Page>
    )
  return (
    <Page title={t('broken.title')} description={t('broken.text')}>
      <div>
        <Button onClick={() => location.reload()}>{t('reload')}</Button>
      </div>
    </Page>
  )
}
