import { Button, Container } from '@mantine/core'
import { IconMoodSad } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Empty } from '../ui/Empty.tsx'

/** The page itself broke, or a part of it could not be fetched: most often there is a newer version by now. */
export const ErrorPage = () => {
  const { t } = useTranslation()
  return (
    <Container component="main" size="sm" py="xl">
      <Empty
        icon={IconMoodSad}
        title={t('broken.title')}
        text={t('broken.text')}
        action={<Button onClick={() => location.reload()}>{t('reload')}</Button>}
      />
    </Container>
  )
}
