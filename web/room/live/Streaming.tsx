import { useTranslation } from 'react-i18next'
import { Elapsed, useSinceStart } from './Clock.tsx'
import { useLive } from './context.ts'
import classes from './live.module.css'
import { type LiveStream, useStreamNotices } from './streaming.ts'
import { useIsNarrow } from './view.ts'

/** How long the call has been streamed, and how many watch. */
export const StreamProgress = ({ stream: { startedAt, viewerCount } }: { stream: LiveStream }) => {
  const { t } = useTranslation()
  const since = useSinceStart(startedAt)
  return (
    <>
      <Elapsed since={since} />
      {` · ${t('live.stream.viewers', { count: viewerCount })}`}
    </>
  )
}

/** Everyone sees that the call is streamed; moderators also how many watch. */
export const Streaming = () => {
  const { t } = useTranslation()
  const { call, isModerator } = useLive()
  const isNarrow = useIsNarrow()
  useStreamNotices()
  const stream = call?.stream
  if (!stream) return null
  const isOn = stream.state === 'live'
  return (
    <div className={classes.recording}>
      <span className={classes.recordingDot} data-on={isOn} aria-hidden />
      <span>{t(isOn ? 'live.stream.on' : 'live.stream.starting')}</span>
      {isOn && isModerator && !isNarrow && (
        <span className={classes.recordingProgress}>{t('live.stream.viewers', { count: stream.viewerCount })}</span>
      )}
    </div>
  )
}
