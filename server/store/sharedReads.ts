import type { CompiledQuery, PostgresPoolClient, QueryResult } from 'kysely'

export interface PacketClient extends PostgresPoolClient {
  /** Whatever is sent before `send` returns goes out at once. */
  inOnePacket: <T>(send: () => T) => T
}

/** With more of them, each would only have fewer reads, and every one wakes a process of the server. */
const MAX_BATCHES = 2

/**
 * Single reads that are asked for at one moment, or while earlier ones are under way, share a connection and a packet.
 * For those that take less time than their way there and back: each waits for those before it.
 */
export const createSharedReads = (connect: () => Promise<PacketClient>) => {
  let waiting: { query: CompiledQuery; answer: PromiseWithResolvers<QueryResult<never>> }[] = []
  let underWay = 0

  const sendBatch = async () => {
    if (waiting.length === 0 || underWay === MAX_BATCHES) return
    const batch = waiting
    waiting = []
    underWay++
    try {
      const client = await connect()
      const sendAll = () => batch.map(({ query }) => client.query<never>(query.sql, query.parameters))
      const answers = client.inOnePacket(sendAll)
      for (const [index, { answer }] of batch.entries()) answer.resolve(answers[index] as Promise<QueryResult<never>>)
      await Promise.allSettled(answers)
      client.release()
    } catch (error) {
      for (const { answer } of batch) answer.reject(error)
    }
    underWay--
    void sendBatch()
  }

  return <R>(query: CompiledQuery) => {
    const answer = Promise.withResolvers<QueryResult<never>>()
    waiting.push({ query, answer })
    // Once the requests that arrived together have all been read.
    if (waiting.length === 1) setImmediate(sendBatch)
    return answer.promise as Promise<QueryResult<R>>
  }
}
