import type { CSSVariablesResolver } from '@mantine/core'
import { variables } from '../ui/theme.ts'

/** The library's own are too faint to read. */
export const roomVariables: CSSVariablesResolver = theme => ({
  variables: { '--mantine-color-dimmed': 'var(--dim)', '--mantine-color-placeholder': 'var(--dim)' },
  light: { '--mantine-color-dimmed': 'var(--dim)', '--mantine-color-placeholder': 'var(--dim)' },
  dark: {
    ...variables(theme).dark,
    '--mantine-color-dimmed': 'var(--dim)',
    '--mantine-color-placeholder': 'var(--dim)',
  },
})
