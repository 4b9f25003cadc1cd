import { NativeSelect } from '@mantine/core'

interface FilterSelectProps<V extends string> {
  label: string
  /** What stands for no filter. */
  all: string
  values: readonly V[]
  textOf: (value: V) => string
  value: V | undefined
  /** Empty for no filter. */
  onChange: (value: V | '') => void
}

/** Narrows a list down to one of a few kinds. */
export const FilterSelect = <V extends string>({
  label,
  all,
  values,
  textOf,
  value,
  onChange,
}: FilterSelectProps<V>) => (
  <NativeSelect
    aria-label={label}
    value={value ?? ''}
    onChange={event => onChange(event.currentTarget.value as V | '')}
    data={[{ value: '', label: all }, ...values.map(one => ({ value: one, label: textOf(one) }))]}
  />
)
