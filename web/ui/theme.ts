import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

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

/** The library's own, with a darker 6, which carries the dimmed text. */
const gray: MantineColorsTuple = [
  '#f8f9fa',
  '#f1f3f5',
  '#e9ecef',
  '#dee2e6',
  '#ced4da',
  '#adb5bd',
  '#626970',
  '#495057',
  '#343a40',
  '#212529',
]
/** In the tone of the stage: 2 is the dimmed text on 7, the page. */
const dark: MantineColorsTuple = [
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
]

/** The library's own, with a 6 that can be read on white, as white can on it. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#d62f2f',
  '#c92a2a',
  '#b02525',
  '#8f1d1d',
]

/** The 9 is the text on the 1, in badges and notices. */
const teal: MantineColorsTuple = [
  '#e6fcf5',
  '#c3fae8',
  '#96f2d7',
  '#63e6be',
  '#38d9a9',
  '#20c997',
  '#12b886',
  '#0ca678',
  '#099268',
  '#06664a',
]
const yellow: MantineColorsTuple = [
  '#fff9db',
  '#fff3bf',
  '#ffec99',
  '#ffe066',
  '#ffd43b',
  '#fcc419',
  '#fab005',
  '#f59f00',
  '#f08c00',
  '#7a4a00',
]

export const theme = createTheme({
  primaryColor: 'iris',
  primaryShade: { light: 6, dark: 6 },
  colors: { iris, gray, dark, red, teal, yellow },
  defaultRadius: 'md',
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { textWrap: 'balance' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // An example stays one when the field is wrong: in red it would look like the wrong entry.
    Input: { styles: { wrapper: { '--input-placeholder-color': 'var(--mantine-color-placeholder)' } } },
    // Focused for what is wrong with it, an open list would cover the words.
    Select: { defaultProps: { openOnFocus: false } },
    // Cut off, a state says nothing.
    // Its own baseline is its lower edge.
    Badge: { defaultProps: { miw: 'max-content' }, styles: { root: { verticalAlign: 'middle' } } },
    Modal: { defaultProps: { styles: { title: { fontWeight: 600, lineHeight: 1.3 } }, yOffset: 'min(5dvh, 24px)' } },
  },
})

/** The library's own red cannot be read on its dark grey. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {},
  dark: { '--mantine-color-error': 'var(--mantine-color-red-4)' },
})
