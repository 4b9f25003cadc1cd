/* Invites for many, from what was pasted or read from a file: one for each line. */

/** The service takes as long a label. */
const MAX_LENGTH = 200
/** For more, the API. */
export const MAX_LINES = 500

export interface Line {
  number: number
  label: string
  problem: 'tooLong' | 'invalid' | 'repeated' | null
  /** With `repeated`: where it stands first. */
  first?: number
}

/** The words that the first line of a table has instead of a name. */
const heads = new Set(['name', 'full name', 'e-mail', 'email', 'mail', 'address', 'имя', 'фио', 'почта', 'эл. почта'])

/** The cells of a line of CSV, whichever of the usual marks it is divided by; a cell may be in quotes. */
const cellsOf = (line: string): string[] => {
  const mark = ['\t', ';', ','].find(sign => line.includes(sign)) ?? ','
  const cells: string[] = []
  const pattern = new RegExp(`\\s*(?:"((?:[^"]|"")*)"|([^${mark}]*))\\s*(?:${mark}|$)`, 'y')
  while (pattern.lastIndex < line.length) {
    const found = pattern.exec(line)
    if (!found) return [line]
    cells.push((found[1]?.replaceAll('""', '"') ?? found[2] ?? '').trim())
  }
  return cells.filter(cell => cell !== '')
}

/** The lines that are not empty, each with what is wrong with it. */
export const readLines = (text: string): Line[] => {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  const seen = new Map<string, number>()
  return lines.flatMap((line, index): Line[] => {
    const number = index + 1
    const cells = cellsOf(line)
    if (cells.length === 0 || (index === 0 && cells.every(cell => heads.has(cell.toLowerCase())))) return []
    const label = cells.join(', ')
    const first = seen.get(label.toLowerCase())
    if (first !== undefined) return [{ number, label, problem: 'repeated', first }]
    seen.set(label.toLowerCase(), number)
    if ([...label].length > MAX_LENGTH) return [{ number, label, problem: 'tooLong' }]
    return [{ number, label, problem: /[\p{Cc}\p{Cs}]/u.test(label) ? 'invalid' : null }]
  })
}

/** A spreadsheet takes for a formula what begins like one. */
const cell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** With the mark by which spreadsheets know that it is UTF-8. */
export const toCsv = (head: [string, string], links: { label: string; url: string }[]) =>
  `\ufeff${[head, ...links.map(({ label, url }) => [label, url])].map(row => row.map(cell).join(',')).join('\r\n')}\r\n`
