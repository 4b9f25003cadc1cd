import { isoTimeOrNull } from '../times.ts'

let isJson = false

/** From now on what commands print is JSON: for programs, one value a command. */
export const printJson = () => {
  isJson = true
}

/** What the command has to say: a value for programs, or lines for people. */
export const print = (value: object, ...lines: string[]) => {
  if (isJson) console.log(JSON.stringify(value))
  else for (const line of lines) console.log(line)
}

/** While the command is at work. A program waits for the result. */
export const printProgress = (line: string) => {
  if (!isJson) console.log(line)
}

type Listing<T> = (cursor: string | undefined) => Promise<{ items: T[]; nextCursor: string | null }>

/** All pages of a list, one item a line. */
export const printAll = async <T>(list: Listing<T>, value: (item: T) => object, line: (item: T) => string) => {
  const values: object[] = []
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await list(cursor)
    if (isJson) values.push(...items.map(value))
    else for (const item of items) console.log(line(item))
    if (nextCursor === null) break
    cursor = nextCursor
  }
  if (isJson) console.log(JSON.stringify(values))
}

/** ` until …`, for what may never end. */
export const untilWords = (time: number | null) => (time === null ? '' : ` until ${isoTimeOrNull(time)}`)
