import { Skeleton, VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Page } from '../Page.tsx'
import classes from './watch.module.css'

/** The shape of the page while the stream is being looked for. */
export const WatchSkeleton = () => {
  const { t } = useTranslation()
  return (
    <Page>
      <div className={classes.watch} aria-busy>
        <VisuallyHidden role="status">{t('watch.opening')}</VisuallyHidden>
        <Skeleton className={classes.screen} radius={16} />
        <Skeleton height={28} width="40%" />
      </div>
    </Page>
  )
}
