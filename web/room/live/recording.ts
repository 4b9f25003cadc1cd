import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useAttempt } from './attempt.ts'
import type { Call } from './call.ts'
import { useLive } from './context.ts'

export type LiveRecording = NonNullable<Call['record']>

/** What a moderator does about recording the call; null: nothing. */
export const useRecording = () => {
  const { t } = useTranslation()
  const { joinedCall, call, room, isModerator, dialogs } = useLive()
  const { client, access } = joinedCall
  const { spaceId, roomId } = access
  const attempt = useAttempt()
  if (!isModerator || !room?.isRecordAllowed || !call) return null
  return {
    record: call.record,
    askToStart: () =>
      dialogs.ask({
        title: t('live.record.ask.title'),
        text: t('live.record.ask.text'),
        action: t('live.record.start'),
        isHarmless: true,
        onYes: () => void attempt(client.startRecord({ spaceId, roomId })),
      }),
    askToStop: () =>
      dialogs.ask({
        title: t('live.record.stop.title'),
        text: t('live.record.stop.text'),
        action: t('live.record.stop'),
        onYes: () => void attempt(client.stopRecord({ spaceId, roomId })),
      }),
  }
}

/** Tells everyone that the call is recorded from now on, or no longer; and moderators with an account why. */
export const useRecordingNotices = () => {
  const { t } = useTranslation()
  const { joinedCall, call, isModerator, say } = useLive()
  const { client, access } = joinedCall
  const { spaceId, roomId, credentials } = access
  const seesWhy = isModerator && credentials.by === 'user'
  const known = useRef<LiveRecording | null>(undefined)

  const tellEnd = async (recordId: string) => {
    const record = seesWhy ? await client.getRecord({ spaceId, roomId, recordId }).catch(() => null) : null
    if (record?.reason) say(t(`record.reason.${record.reason}`))
    else say(t(record ? 'live.record.stoppedHost' : 'live.record.stopped'))
  }
  const tell = useRef(tellEnd)
  tell.current = tellEnd

  const record = call?.record
  useEffect(() => {
    if (record === undefined) return
    const before = known.current
    known.current = record
    if (record?.state === 'recording' && before?.state !== 'recording')
      say(t(before === undefined ? 'live.record.isOn' : 'live.record.started'))
    else if (record === null && before) void tell.current(before.id)
  }, [record, say, t])
}
