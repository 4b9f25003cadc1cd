import { Code } from '@mantine/core'
import { CopyAction } from '../../ui/CopyAction.tsx'
import classes from './CodeBlock.module.css'

interface CodeBlockProps {
  label: string
  code: string
  /** What is copied, where more is shown to be read than is meant to be taken. */
  copied?: string
}

/** Code to read and to take along. Long lines scroll, by keyboard too. */
export const CodeBlock = ({ label, code, copied = code }: CodeBlockProps) => (
  <div className={classes.frame}>
    <Code block className={classes.code} tabIndex={0} role="region" aria-label={label}>
      {code}
    </Code>
    <CopyAction label={label} value={copied} variant="default" className={classes.copy} />
  </div>
)
