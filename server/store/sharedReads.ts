import type { CompiledQuery, QueryResult } from 'kysely'
import { isTimeout } from './failures.ts'
import { createGroups } from './groups.ts'
import type { PacketClient } from './packets.ts'
import { createReads } from './reads.ts'

interface Read {
  query: CompiledQuery
  answer: PromiseWithResolvers<QueryResult<never>>
}

/**
 * Single reads that are asked for at one moment, or while earlier ones are under way, share a connection and a packet.
 * For those that take less time than their way there and back: each waits for those before it.
 */
export const createSharedReads = (connect: () => Promise<PacketClient>) => {
  const join = createGroups<Read>(async reads => {
    let client: PacketClient | undefined
    try {
      client = await connect()
      await readAll(client, reads)
    } catch (error) {
      for (const { answer } of reads) answer.reject(error)
    } finally {
      client?.release()
    }
  })

  const readAll = async (client: PacketClient, reads: Read[]) => {
    const { ask, send } = createReads(client)
    const answers = reads.map(({ query: { sql, parameters } }) => ask(sql, parameters))
    client.inOnePacket(send)
    for (const [index, { answer }] of reads.entries()) answer.resolve(answers[index] as Promise<QueryResult<never>>)
    // Those behind it would wait as long, one after another.
    for (const answer of answers) answer.catch(error => isTimeout(error) && client.cut())
    await Promise.allSettled(answers)
  }

  return <R>(query: CompiledQuery) => {
    const answer = Promise.withResolvers<QueryResult<never>>()
    join({ query, answer })
    return answer.promise as Promise<QueryResult<R>>
  }
}
