import { TextInput } from '@mantine/core'
import { CopyAction } from './CopyAction.tsx'

/** Text to take along: selected by a click, so that it can be copied where the page may not do it. */
export const CopyField = ({ label, value, description }: { label: string; value: string; description?: string }) => (
  <TextInput
    label={label}
    description={description}
    value={value}
    readOnly
    onFocus={event => event.currentTarget.select()}
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    rightSection={<CopyAction label={label} value={value} variant="subtle" />}
  />
)
