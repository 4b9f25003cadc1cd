import { Switch as LibrarySwitch, type SwitchProps } from '@mantine/core'

/** The library takes the description for a part of the name: it only describes. */
export const Switch = ({ label, ...props }: SwitchProps & { label: string }) => (
  <LibrarySwitch label={label} aria-label={label} {...props} />
)
