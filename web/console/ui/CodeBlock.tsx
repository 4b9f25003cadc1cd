import { ActionIcon, Code, CopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import classes from './CodeBlock.module.css'

interface CodeBlockProps {
  label: string
  code: string
  /** What is copied, where more is shown to be read than is meant to be taken. */
  copied?: string
}

/** Code to read and to take along. Long lines scroll, by keyboard too. */
export const CodeBlock = ({ label, code, copied: value = code }: CodeBlockProps) => {
  const { t } = useTranslation()
  return (
    <div className={classes.frame}>
      <Code block className={classes.code} tabIndex={0} role="region" aria-label={label}>
        {code}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? t('copied') : t('copy')} withArrow>
            <ActionIcon
              className={classes.copy}
              variant="default"
              onClick={copy}
              aria-label={copied ? t('copied') : t('copyNamed', { name: label })}
            >
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </div>
  )
}
