import { type CSSVariablesResolver, mergeThemeOverrides } from '@mantine/core'
import { theme } from '../ui/theme.ts'

export const roomTheme = mergeThemeOverrides(theme, {
  components: { Modal: { defaultProps: { styles: { title: { fontWeight: 600 } } } } },
})

/** The library's own are too faint to read. */
export const roomVariables: CSSVariablesResolver = () => ({
  variables: { '--mantine-color-dimmed': 'var(--dim)', '--mantine-color-placeholder': 'var(--dim)' },
  light: { '--mantine-color-dimmed': 'var(--dim)', '--mantine-color-placeholder': 'var(--dim)' },
  dark: { '--mantine-color-dimmed': 'var(--dim)', '--mantine-color-placeholder': 'var(--dim)' },
})
