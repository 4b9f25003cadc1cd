import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useTitle } from '../ui/title.ts'
import { StandalonePage } from './StandalonePage.tsx'

/** The page itself broke, or a part of it could not be fetched: most often there is a newer version by now. */
export const ErrorPage = () => {
  const { t } = useTranslation()
  useTitle(t('broken.title'))
  return (
    <StandalonePage title={t('broken.title')} text={t('broken.text')}>
      <Button onClick={() => location.reload()}>{t('reload')}</Button>
    </StandalonePage>
  )
}
