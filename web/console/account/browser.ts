/** In this order: each of them also claims to be some of those below it. */
const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/YaBrowser\//, 'Yandex Browser'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

const find = (names: [RegExp, string][], text: string) => names.find(([pattern]) => pattern.test(text))?.[1]

/** Enough to recognise one's own; null: no browser we know of. */
export const describeBrowser = (userAgent: string | null): string | null => {
  const browser = find(browsers, userAgent ?? '')
  const system = find(systems, userAgent ?? '')
  return browser ? [browser, system].filter(Boolean).join(', ') : null
}
