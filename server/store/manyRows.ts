/* Statements for one row of values, put for many. A connection keeps each of them planned, so they are for few sizes. */

const SIZES = [16, 4, 1]

/** Into as few parts as possible that there is a statement for. */
export const inSizes = <T>(rows: T[]): T[][] => {
  const parts: T[][] = []
  let from = 0
  for (const size of SIZES) for (; rows.length - from >= size; from += size) parts.push(rows.slice(from, from + size))
  return parts
}

const PLACE = /\$(\d+)/g

/** `row`, which takes so many values, that many times. */
const repeated = (row: string, width: number, count: number) =>
  Array.from({ length: count }, (_, n) => row.replace(PLACE, (_, place) => `$${Number(place) + n * width}`)).join(', ')

/** The values of a text are always of the same types. */
const madeOnce = (make: (text: string, values: readonly unknown[], count: number) => string) => {
  const made = new Map<string, Map<number, string>>()
  return (text: string, values: readonly unknown[], count: number): string => {
    const sizes = made.get(text) ?? new Map<number, string>()
    made.set(text, sizes)
    const known = sizes.get(count) ?? make(text, values, count)
    sizes.set(count, known)
    return known
  }
}

const ONE_ROW = /(?<=\bvalues )\([^()]*\)/
export const hasOneRow = (text: string) => ONE_ROW.test(text)

/** The same with so many rows where it has one: `… values ($1, $2)`. */
export const withRows = madeOnce((text, { length }, count) =>
  text.replace(ONE_ROW, row => repeated(row, length, count)),
)

/**
 * A read that finds one row at most, put for so many: their values follow each other, and behind those of each comes its
 * number, which what is found by them carries as `asker`. Each is found as it would be alone (`offset 0`).
 */
export const forAskers = madeOnce((text, values, count) => {
  const types = [...values.map(value => (typeof value === 'number' ? 'bigint' : 'text')), 'integer']
  const row = `(${types.map((type, n) => `$${n + 1}::${type}`).join(', ')})`
  const columns = [...values.map((_, n) => `value${n + 1}`), 'asker'].join(', ')
  const found = text.replace(PLACE, (_, place) => `wanted.value${place}`)
  return `/* of many */ select asker, found.* from (values ${repeated(row, types.length, count)}) as wanted (${columns})
    cross join lateral (${found} offset 0) as found`
})
