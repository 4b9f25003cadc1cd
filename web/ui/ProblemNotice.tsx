import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { explain } from './problem.ts'

/** Says what went wrong and, where trying again may help, offers it. */
export const ProblemNotice = ({ error, onRetry }: { error: unknown; onRetry?: () => void }) => {
  const { t } = useTranslation()
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle aria-hidden />}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">{explain(error, t)}</Text>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('tryAgain')}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
