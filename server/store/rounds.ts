import { hasOneRow, inSizes, withRows } from './manyRows.ts'
import { NOTHING, type PacketClient } from './packets.ts'
import { isRead, isSentWithNext } from './prepared.ts'
import { createReads, type Result } from './reads.ts'

/**
 * What several ask of one connection until the event loop goes on goes out at once. What nobody waits for goes first, and
 * where it is said in the same words, for all its rows together.
 */
export const createRounds = (client: PacketClient) => {
  /** By text. The rows of a read are what it holds: once is enough. */
  const ahead = new Map<string, Map<unknown, readonly unknown[]>>()
  const reads = createReads(client)
  let others: (() => void)[] = []
  let isScheduled = false

  const send = () => {
    isScheduled = false
    client.inOnePacket(() => {
      for (const [text, rows] of ahead) sendAhead(client, text, [...rows.values()])
      reads.send()
      for (const ask of others) ask()
    })
    ahead.clear()
    others = []
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
    if (isRead(text)) return reads.ask(text, values)
    return new Promise(done => others.push(() => done(client.query<never>(text, values))))
  }

  return { ask, send }
}

const sendAhead = (client: PacketClient, text: string, rows: (readonly unknown[])[]) => {
  for (const part of hasOneRow(text) ? inSizes(rows) : rows.map(row => [row]))
    void client.query(withRows(text, part[0] ?? [], part.length), part.flat())
}
