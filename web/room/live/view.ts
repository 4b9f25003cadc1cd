import { useMediaQuery, useToggle } from '@mantine/hooks'

/** Everyone alike, or whoever speaks large. */
export type View = 'grid' | 'speaker'

export const useView = () => useToggle<View>(['grid', 'speaker'])

/** A phone held upright: the bar has room for a few controls, the rest is in its menu. */
export const useIsNarrow = () => useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false })
