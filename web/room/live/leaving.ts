import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import { useModeration } from './moderation.ts'

/** Out of the call: alone, or, once that is confirmed, with everyone. */
export const useLeaving = () => {
  const { t } = useTranslation()
  const { connection, dialogs } = useLive()
  const { endForAll } = useModeration()
  return {
    leave: connection.leave,
    askToEnd: () =>
      dialogs.ask({
        title: t('live.end.title'),
        text: t('live.end.text'),
        action: t('live.endForAll'),
        onYes: () => void endForAll(),
      }),
  }
}
