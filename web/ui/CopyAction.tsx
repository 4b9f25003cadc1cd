import { ActionIcon, type ActionIconProps, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

interface CopyActionProps extends Pick<ActionIconProps, 'variant' | 'className'> {
  /** What the text is, for screen readers. */
  label: string
  value: string
}

/** A small button that copies a text, and shows that it has. */
export const CopyAction = ({ label, value, variant, className }: CopyActionProps) => {
  const { t } = useTranslation()
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('copied') : t('copy')} withArrow>
          <ActionIcon
            variant={variant}
            className={className}
            {...(variant === 'subtle' && { color: copied ? 'teal' : 'gray' })}
            onClick={copy}
            aria-label={copied ? t('copied') : t('copyNamed', { name: label })}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
