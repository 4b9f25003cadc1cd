import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { explain, isTransient } from './problem.ts'

interface ProblemNoticeProps {
  error: unknown
  /** Where the page knows more of it than the error says. */
  text?: string
  onRetry?: () => void
}

/** Says what went wrong and, where trying again may help, offers it. */
export const ProblemNotice = ({ error, text, onRetry }: ProblemNoticeProps) => {
  const { t } = useTranslation()
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle aria-hidden />}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">{text ?? explain(error, t)}</Text>
        {onRetry && isTransient(error) && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('tryAgain')}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
