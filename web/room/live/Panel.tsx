import { CloseButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './panel.module.css'

/** Beside the stage on a desktop, over it on a phone. */
export const Panel = ({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) => {
  const { t } = useTranslation()
  return (
    <aside
      className={classes.panel}
      aria-label={title}
      onKeyDown={event => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <header className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        <CloseButton aria-label={t('close')} onClick={onClose} />
      </header>
      {children}
    </aside>
  )
}
