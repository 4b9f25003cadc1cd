import type { PostgresQueryResult } from 'kysely'
import { forAskers, inSizes } from './manyRows.ts'
import type { PacketClient } from './packets.ts'
import { findsOne } from './prepared.ts'

export type Result = PostgresQueryResult<never>

interface Read {
  values: readonly unknown[]
  answer: PromiseWithResolvers<Result>
}

/** Reads that go out together: once what is asked in the same words, and as one what only differs in whom it finds. */
export const createReads = (client: PacketClient) => {
  const asked = new Map<string, Map<string, Read>>()

  const ask = (text: string, values: readonly unknown[]): Promise<Result> => {
    const reads = asked.get(text) ?? new Map<string, Read>()
    asked.set(text, reads)
    const key = JSON.stringify(values)
    const read = reads.get(key) ?? { values, answer: Promise.withResolvers() }
    reads.set(key, read)
    return read.answer.promise
  }

  const send = () => {
    for (const [text, reads] of asked)
      for (const part of findsOne(text) ? inSizes([...reads.values()]) : reads.values().map(read => [read]))
        sendPart(client, text, part)
    asked.clear()
  }

  return { ask, send }
}

const sendPart = (client: PacketClient, text: string, reads: Read[]) => {
  const [first] = reads
  if (!first) return
  if (reads.length === 1) return first.answer.resolve(client.query(text, first.values))
  const values = reads.flatMap(({ values }, asker) => [...values, asker])
  client.query<{ asker: number }>(forAskers(text, first.values, reads.length), values).then(
    ({ command, rows }) => {
      const found = new Map(rows.map(row => [row.asker, row as never]))
      for (const [asker, { answer }] of reads.entries()) {
        const row = found.get(asker)
        answer.resolve({ command, rowCount: row ? 1 : 0, rows: row ? [row] : [] })
      }
    },
    error => {
      for (const { answer } of reads) answer.reject(error)
    },
  )
}
