import type { PostgresQueryResult } from 'kysely'
import { createTwins } from './groups.ts'
import { NOTHING, type PacketClient } from './packets.ts'
import { isRead, isSentWithNext } from './prepared.ts'

type Result = PostgresQueryResult<never>

/**
 * Statements for how many rows there are, the largest first. A connection keeps each of them planned, so there are few.
 */
const SIZES = [16, 4, 1]

/**
 * What several ask of one connection until the event loop goes on goes out at once. What nobody waits for goes first, and
 * where it is said in the same words, for all its rows together; what is read in the same words is read once.
 */
export const createRounds = (client: PacketClient) => {
  /** By text. The rows of a read are what it holds: once is enough. */
  const ahead = new Map<string, Map<unknown, readonly unknown[]>>()
  let asked: (() => void)[] = []
  let askOnce = createTwins<Result>()
  let isScheduled = false

  const send = () => {
    isScheduled = false
    client.inOnePacket(() => {
      for (const [text, rows] of ahead) sendRows(client, text, [...rows.values()])
      for (const ask of asked) ask()
    })
    ahead.clear()
    asked = []
    askOnce = createTwins()
  }

  const ask = (text: string, values: readonly unknown[]): Result | Promise<Result> => {
    if (!isScheduled) setImmediate(() => isScheduled && send())
    isScheduled = true
    if (isSentWithNext(text)) {
      const rows = ahead.get(text) ?? new Map()
      ahead.set(text, rows)
      rows.set(isRead(text) ? JSON.stringify(values) : rows.size, values)
      return NOTHING
    }
    const inTurn = () => new Promise<Result>(done => asked.push(() => done(client.query<never>(text, values))))
    return isRead(text) ? askOnce(text, values, inTurn) : inTurn()
  }

  return { ask, send }
}

const ONE_ROW = /(?<=\bvalues )\([^()]*\)/

const sendRows = (client: PacketClient, text: string, rows: (readonly unknown[])[]) => {
  for (const size of ONE_ROW.test(text) ? SIZES : [1])
    while (rows.length >= size) void client.query(forRows(text, size), rows.splice(0, size).flat())
}

const texts = new Map<string, Map<number, string>>()

const forRows = (text: string, count: number): string => {
  const known = texts.get(text) ?? new Map<number, string>()
  texts.set(text, known)
  const made = known.get(count) ?? repeatRow(text, count)
  known.set(count, made)
  return made
}

/** The same statement with its row of values that many times. */
const repeatRow = (text: string, count: number) =>
  text.replace(ONE_ROW, row => {
    const width = row.match(/\$\d+/g)?.length ?? 0
    const shifted = (n: number) => row.replace(/\$(\d+)/g, (_, i) => `$${Number(i) + n * width}`)
    return Array.from({ length: count }, (_, n) => shifted(n)).join(', ')
  })
