import { Button, Text } from '@mantine/core'
import { IconPlayerRecord, IconPlayerStop } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { RecordingProgress } from '../Recording.tsx'
import { useRecording } from '../recording.ts'
import { Section } from './Section.tsx'

/** Nothing where the room doesn't allow it. */
export const Recording = () => {
  const { t } = useTranslation()
  const recording = useRecording()
  if (!recording) return null
  const { record, askToStart, askToStop } = recording
  return (
    <Section title={t('host.recording')}>
      {record ? (
        <>
          <Text size="sm">
            {record.state === 'recording' ? <RecordingProgress record={record} /> : t('live.record.starting')}
          </Text>
          <Button color="red.8" leftSection={<IconPlayerStop size={18} aria-hidden />} onClick={askToStop}>
            {t('live.record.stop')}
          </Button>
        </>
      ) : (
        <Button variant="default" leftSection={<IconPlayerRecord size={18} aria-hidden />} onClick={askToStart}>
          {t('live.record.start')}
        </Button>
      )}
    </Section>
  )
}
