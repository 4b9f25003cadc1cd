import { Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Dialog } from './Dialog.tsx'
import type { Question } from './dialogs.ts'

export const Confirm = ({ question, onClose }: { question: Question | null; onClose: () => void }) => {
  const { t } = useTranslation()
  return (
    <Dialog opened={question !== null} onClose={onClose} title={question?.title}>
      <Text>{question?.text}</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button
          {...(!question?.isHarmless && { color: 'red.8' })}
          onClick={() => {
            question?.onYes()
            onClose()
          }}
        >
          {question?.action}
        </Button>
      </Group>
    </Dialog>
  )
}
