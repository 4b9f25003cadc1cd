import type { PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { ConnectionLost, UndoneWithOthers } from './failures.ts'
import { createGroups } from './groups.ts'
import { NOTHING, type PacketClient } from './packets.ts'
import { isInsert, isRead, isSentWithNext } from './prepared.ts'
import { createRounds } from './rounds.ts'

type Result = PostgresQueryResult<never>
type Ask = ReturnType<typeof createRounds>['ask']

interface Member {
  begun: PromiseWithResolvers<Ask>
  /** `isUndone`: something it asked for has failed, or it takes back what it has added. */
  left: PromiseWithResolvers<{ isUndone: boolean }>
  committed: PromiseWithResolvers<Result>
}

/** A net for what is served as if it only added rows. */
const isFit = (text: string) =>
  isRead(text)
    ? !/ for (?:no key )?(?:update|(?:key )?share)\b(?! nowait)|pg_advisory/.test(text)
    : isInsert(text) && !/ on conflict .* do update /.test(text)

/**
 * Transactions that begin at one moment, or while earlier ones are under way, are members of one: a begin and a commit
 * for all of them, and as few round trips as for one. They run side by side in it, so that no lock keeps one from
 * another, and each may see what another has added. So they are only for changes that add rows and depend on none that
 * others add, and none is told of anything before the commit.
 *
 * If anything in it fails, nothing of it has happened, and each member is to be repeated in a transaction of its own.
 * That somebody else holds what a member is to hold is such a failure: the others would wait with it.
 */
export const createSharedWrites = (connect: () => Promise<PacketClient>): (() => PostgresPoolClient) => {
  const join = createGroups<Member>(async members => {
    let client: PacketClient | undefined
    try {
      client = await connect()
      const result = await runAll(client, members)
      for (const { committed } of members) committed.resolve(result)
      client.release()
    } catch (error) {
      // Whether a commit has happened is not known then.
      const failure = error instanceof ConnectionLost ? error : new UndoneWithOthers()
      const isOver = await client?.query('rollback', []).then(
        () => true,
        () => false,
      )
      for (const { begun, committed } of members) {
        begun.reject(failure)
        committed.reject(failure)
      }
      client?.release(!isOver)
    }
  })

  return () => {
    const member: Member = {
      begun: Promise.withResolvers(),
      left: Promise.withResolvers(),
      committed: Promise.withResolvers(),
    }
    // Nobody waits for it who has not begun.
    member.committed.promise.catch(() => {})
    join(member)
    return clientOf(member)
  }
}

const runAll = async (client: PacketClient, members: Member[]) => {
  await client.query('begin', [])
  const { ask, send } = createRounds(client)
  for (const { begun } of members) begun.resolve(ask)
  const ends = await Promise.all(members.map(({ left }) => left.promise))
  // Before anything else: a rollback drops it, and nothing of it is left for whoever has the connection next.
  send()
  if (ends.some(({ isUndone }) => isUndone)) throw new UndoneWithOthers()
  const result = await client.query<never>('commit', [])
  if (result.command !== 'COMMIT') throw new UndoneWithOthers()
  return result
}

const clientOf = ({ begun, left, committed }: Member): PostgresPoolClient => {
  let hasRead = false
  let hasAdded = false
  let hasFailed = false
  let misuse: Error | null = null
  const query = async <R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> => {
    const ask = await begun.promise
    if (text === 'begin') return NOTHING
    if (text === 'commit' || text === 'rollback') {
      left.resolve({ isUndone: hasFailed || (text === 'rollback' && hasAdded) })
      if (!misuse) return committed.promise
      // Repeated alone it would go well, and nobody would learn of it.
      if (text === 'commit') throw misuse
      return NOTHING
    }
    hasAdded ||= !isRead(text)
    try {
      // What comes first waits for the begin, and the locks of the others with it.
      if (!isFit(text) || (hasAdded && !hasRead)) {
        misuse = new Error(`a shared transaction reads, only adds rows, and waits for none: ${text}`)
        throw misuse
      }
      const result = await ask(text, values)
      hasRead ||= !isSentWithNext(text)
      return result
    } catch (error) {
      hasFailed = true
      throw error
    }
  }
  return { query: query as PostgresPoolClient['query'], release() {} }
}
