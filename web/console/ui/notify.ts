import { notifications } from '@mantine/notifications'
import i18next from 'i18next'
import { explain } from '../../ui/problem.ts'

const closable = () => ({ closeButtonProps: { 'aria-label': i18next.t('close') } })

/** Something was done, and nothing else on the page would tell. */
export const tell = (message: string) => notifications.show({ message, ...closable() })

/** A change that was shown before it was made, and could not be. */
export const tellProblem = (error: unknown) =>
  notifications.show({ color: 'red', message: explain(error, i18next.t), autoClose: 10_000, ...closable() })
