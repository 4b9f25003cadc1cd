import { Kbd } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Dialog } from './Dialog.tsx'
import classes from './live.module.css'
import { shortcutKeys } from './shortcuts.ts'

export const Shortcuts = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const { t } = useTranslation()
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t('shortcuts.title')}>
      <dl className={classes.shortcuts}>
        {[...shortcutKeys, '?' as const].map(key => (
          <div key={key}>
            <dt>{t(`shortcuts.${key}`)}</dt>
            <dd>
              <Kbd>{key.toUpperCase()}</Kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
