import { CopyButton, Tooltip, UnstyledButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './CopyId.module.css'

/** An id, or other text to pass on: a click copies it. */
export const CopyId = ({ value, label }: { value: string; label?: string }) => {
  const { t } = useTranslation()
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('copied') : t('clickToCopy')} withArrow>
          <UnstyledButton
            className={classes.id}
            onClick={copy}
            aria-label={copied ? t('copied') : t('copyNamed', { name: label ?? value })}
          >
            {value}
          </UnstyledButton>
        </Tooltip>
      )}
    </CopyButton>
  )
}
