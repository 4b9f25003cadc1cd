import { Button } from '@mantine/core'
import { IconMapQuestion } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Link, useMatch } from 'react-router'
import { Empty } from '../ui/Empty.tsx'
import { Page } from '../ui/Page.tsx'

/** Absent, or not for the caller to see: the service does not tell which. */
export const NotFoundPage = () => {
  const { t } = useTranslation()
  const isInSpace = useMatch('/spaces/:spaceId/*') !== null
  return (
    <Page title={t('notFound.title')}>
      <Empty
        icon={IconMapQuestion}
        text={isInSpace ? `${t('notFound.text')} ${t('notFound.invite')}` : t('notFound.text')}
        action={
          <Button component={Link} to="/spaces">
            {t('notFound.action')}
          </Button>
        }
      />
    </Page>
  )
}
