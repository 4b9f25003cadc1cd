import type { CompiledQuery, PostgresPoolClient, QueryResult } from 'kysely'
import { isTimeout } from './failures.ts'

export interface PacketClient extends PostgresPoolClient {
  /** Whatever is sent before `send` returns goes out at once. */
  inOnePacket: <T>(send: () => T) => T
  /** Whatever it has not answered yet fails. */
  cut: () => void
}

/** With more of them, each would only have fewer reads, and every one wakes a process of the server. */
const MAX_BATCHES = 2
const MAX_READS = 32
/** A batch that takes longer is stuck, and holds up no others. */
const STUCK_MS = 100

/**
 * Single reads that are asked for at one moment, or while earlier ones are under way, share a connection and a packet.
 * For those that take less time than their way there and back: each waits for those before it.
 */
export const createSharedReads = (connect: () => Promise<PacketClient>) => {
  const waiting: { query: CompiledQuery; answer: PromiseWithResolvers<QueryResult<never>> }[] = []
  let underWay = 0

  const sendBatch = () => {
    if (waiting.length === 0 || underWay === MAX_BATCHES) return
    let isCounted = true
    const makeRoom = () => {
      if (!isCounted) return
      isCounted = false
      underWay--
      sendBatch()
    }
    underWay++
    const stuck = setTimeout(makeRoom, STUCK_MS)
    void readAll(waiting.splice(0, MAX_READS)).finally(() => {
      clearTimeout(stuck)
      makeRoom()
    })
  }

  const readAll = async (batch: typeof waiting) => {
    try {
      const client = await connect()
      const sendAll = () => batch.map(({ query }) => client.query<never>(query.sql, query.parameters))
      const answers = client.inOnePacket(sendAll)
      for (const [index, { answer }] of batch.entries()) answer.resolve(answers[index] as Promise<QueryResult<never>>)
      // Those behind it would wait as long, one after another.
      for (const answer of answers) answer.catch(error => isTimeout(error) && client.cut())
      await Promise.allSettled(answers)
      client.release()
    } catch (error) {
      for (const { answer } of batch) answer.reject(error)
    }
  }

  return <R>(query: CompiledQuery) => {
    const answer = Promise.withResolvers<QueryResult<never>>()
    waiting.push({ query, answer })
    // Once the requests that arrived together have all been read.
    if (waiting.length === 1) setImmediate(sendBatch)
    return answer.promise as Promise<QueryResult<R>>
  }
}
