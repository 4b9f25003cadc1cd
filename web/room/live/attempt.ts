import { useTranslation } from 'react-i18next'
import { useLive } from './context.ts'
import { refusalText } from './refusal.ts'

/** Does something in the call, then looks at it again. The service decides; the page says when it said no. */
export const useAttempt = () => {
  const { t } = useTranslation()
  const { refresh, say } = useLive()
  return async (work: Promise<unknown>) => {
    try {
      await work
      await refresh()
    } catch (error) {
      say(refusalText(error, t))
    }
  }
}
