import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useAttempt } from './attempt.ts'
import type { Call } from './call.ts'
import { useLive } from './context.ts'

export type LiveStream = NonNullable<Call['stream']>

/** What a moderator does about streaming the call; null: nothing. */
export const useStreaming = () => {
  const { t } = useTranslation()
  const { joinedCall, call, isModerator, dialogs } = useLive()
  const { client, access } = joinedCall
  const { spaceId, roomId } = access
  const attempt = useAttempt()
  if (!isModerator || !call) return null
  return {
    stream: call.stream,
    askToStart: () => dialogs.show('stream'),
    askToStop: () =>
      dialogs.ask({
        title: t('live.stream.stop.title'),
        text: t('live.stream.stop.text'),
        action: t('live.stream.stop'),
        onYes: () => void attempt(client.stopStream({ spaceId, roomId })),
      }),
  }
}

/** Tells everyone that the call is streamed from now on, or no longer; and moderators that it doesn't reach its target. */
export const useStreamNotices = () => {
  const { t } = useTranslation()
  const { call, isModerator, say } = useLive()
  const known = useRef<LiveStream | null>(undefined)
  const stream = call?.stream
  useEffect(() => {
    if (stream === undefined) return
    const before = known.current
    known.current = stream
    if (stream?.state === 'live' && before?.state !== 'live')
      say(t(before === undefined ? 'live.stream.isOn' : 'live.stream.started'))
    else if (stream === null && before)
      say(t(before.state === 'live' ? 'live.stream.stopped' : 'live.stream.notStarted'))
    else if (isModerator && stream?.target?.state === 'failed' && before?.target?.state !== 'failed')
      say(t('live.stream.target.failed', { host: stream.target.host }))
  }, [stream, isModerator, say, t])
}
