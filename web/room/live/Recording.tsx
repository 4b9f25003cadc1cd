import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { bytes } from '../../ui/bytes.ts'
import { Elapsed, useSinceStart } from './Clock.tsx'
import { useLive } from './context.ts'
import classes from './live.module.css'
import { type LiveRecording, useRecording, useRecordingNotices } from './recording.ts'
import { useIsNarrow } from './view.ts'

/** How long the call has been recorded, and how much that is. */
export const RecordingProgress = ({ record: { startedAt, size } }: { record: LiveRecording }) => {
  const { i18n } = useTranslation()
  const since = useSinceStart(startedAt)
  return (
    <>
      <Elapsed since={since} />
      {size > 0 && ` · ${bytes(size, i18n.language)}`}
    </>
  )
}

/** Everyone sees that the call is recorded; moderators also how much, and can stop it here. */
export const Recording = () => {
  const { t } = useTranslation()
  const { call } = useLive()
  const recording = useRecording()
  const isNarrow = useIsNarrow()
  useRecordingNotices()
  const record = call?.record
  if (!record) return null
  const isOn = record.state === 'recording'
  const isControlled = isOn && recording !== null && !isNarrow
  return (
    <div className={classes.recording}>
      <span className={classes.recordingDot} data-on={isOn} aria-hidden />
      <span>{t(isOn ? 'live.record.on' : 'live.record.starting')}</span>
      {isControlled && (
        <>
          <span className={classes.recordingProgress}>
            <RecordingProgress record={record} />
          </span>
          <Button size="compact-xs" color="red.8" aria-label={t('live.record.stop')} onClick={recording.askToStop}>
            {t('live.presenting.stop')}
          </Button>
        </>
      )}
    </div>
  )
}
