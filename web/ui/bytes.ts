const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const

/** As one would say it: 12 GB, 1.5 TB. */
export const bytes = (count: number, language: string): string => {
  const step = Math.min(units.length - 1, count < 1 ? 0 : Math.floor(Math.log10(count) / 3))
  const unit = units[step] ?? 'byte'
  const format = { style: 'unit', unit, unitDisplay: 'short', maximumSignificantDigits: 3 } as const
  return new Intl.NumberFormat(language, format).format(count / 1000 ** step)
}
