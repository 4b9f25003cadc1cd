import type { CSSVariablesResolver } from '@mantine/core'
import { variables } from '../ui/theme.ts'

/** The library's own are too faint to read. */
const dim = { '--mantine-color-dimmed': 'var(--dim)', '--mantine-color-placeholder': 'var(--dim)' }

export const roomVariables: CSSVariablesResolver = theme => ({
  variables: dim,
  light: dim,
  dark: { ...variables(theme).dark, ...dim },
})
