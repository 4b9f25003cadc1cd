/** A span of time as one would say it: 1 hr 5 min, 48 min; seconds where there is nothing greater. */
export const duration = (seconds: number, language: string): string => {
  const format = new Intl.DurationFormat(language, { style: 'short', secondsDisplay: seconds < 60 ? 'always' : 'auto' })
  if (seconds < 60) return format.format({ seconds })
  const minutes = Math.round(seconds / 60)
  return format.format({ hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}

export const secondsBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / 1000)
