import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** Shade 6 carries white text, shade 4 stands on the dark background: both with a contrast of at least 4.5. */
const iris: MantineColorsTuple = [
  '#eef0fc',
  '#dadff7',
  '#b6bff0',
  '#9aa7ec',
  '#8b99ea',
  '#5f70d8',
  '#4453c4',
  '#3a47ab',
  '#323d92',
  '#283178',
]

export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: { light: 6, dark: 6 },
  colors: { iris },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  cursorType: 'pointer',
})
