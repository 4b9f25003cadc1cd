import { CloseButton } from '@mantine/core'
import { type ReactNode, type RefObject, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useEscape } from '../../ui/escape.ts'
import { HeadingContext, openerNow, useFocusRescueOf, useHeading } from '../../ui/focus.ts'
import classes from './panel.module.css'

/** Asked while it is drawn for the first time, before it takes the focus itself. */
const useOpener = () => {
  const opener = useRef<HTMLElement | null | undefined>(undefined)
  if (opener.current === undefined) opener.current = openerNow()
  return opener as RefObject<HTMLElement | null>
}

/** Beside the stage on a desktop, over it on a phone. */
export const Panel = ({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) => {
  const { t } = useTranslation()
  const panel = useRef<HTMLElement>(null)
  const opener = useOpener()
  const { heading, focus } = useHeading()
  useFocusRescueOf(panel, opener)
  useEscape(true, onClose)
  return (
    <aside ref={panel} className={classes.panel} aria-label={title}>
      <header className={classes.head}>
        <h2 className={classes.title} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <CloseButton aria-label={t('close')} onClick={onClose} />
      </header>
      <HeadingContext value={focus}>{children}</HeadingContext>
    </aside>
  )
}
