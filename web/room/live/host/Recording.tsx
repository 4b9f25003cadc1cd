import { Button } from '@mantine/core'
import { IconPlayerRecord, IconPlayerStop } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { RecordingProgress } from '../Recording.tsx'
import { useRecording } from '../recording.ts'
import classes from './host.module.css'
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
          <p className={classes.note}>
            {record.state === 'recording' ? <RecordingProgress record={record} /> : t('live.record.starting')}
          </p>
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
