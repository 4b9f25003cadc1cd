import { type CSSVariablesResolver, mergeThemeOverrides } from '@mantine/core'
import { theme } from '../ui/theme.ts'

/** The greys of the dark scheme in the tone of the stage. */
export const roomTheme = mergeThemeOverrides(theme, {
  components: { Modal: { defaultProps: { styles: { title: { fontWeight: 600 } } } } },
  colors: {
    dark: [
      '#e9ebf4',
      '#c5c9da',
      '#a9afc4',
      '#7d849c',
      '#4a5068',
      '#363b50',
      '#2a2e3f',
      '#1e2130',
      '#171a25',
      '#0f1118',
    ],
  },
})

/** The library's own are too faint to read. */
export const roomVariables: CSSVariablesResolver = () => ({
  variables: { '--mantine-color-dimmed': 'var(--dim)', '--mantine-color-placeholder': 'var(--dim)' },
  light: { '--mantine-color-dimmed': 'var(--dim)', '--mantine-color-placeholder': 'var(--dim)' },
  dark: { '--mantine-color-dimmed': 'var(--dim)', '--mantine-color-placeholder': 'var(--dim)' },
})
