import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { goneSignal } from '../http/gone.ts'
import { notFound, Problem } from '../http/problem.ts'
import { isId } from '../ids.ts'
import { admissionRefusal, mayModerate, type RoomStanding } from '../rules.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import { accountsOf, knownAs } from '../store/participants.ts'
import type { Trx } from '../store/tables.ts'
import { type Asking, admitAll, ask, decide, listWaiting, stopAsking } from '../store/waiting.ts'
import { isoTime } from '../times.ts'

/** Less than clients, proxies and the pace of those who wait allow for. */
const MAX_WAIT_SECONDS = 25

/** RFC 7240 §4.3. */
const waitSecondsOf = ({ headers: { prefer } }: FastifyRequest): number => {
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec([prefer].flat().join(','))?.[1]
  return Math.min(Number(seconds ?? 0), MAX_WAIT_SECONDS)
}

const refusals = {
  denied: 'A moderator did not let you in. You can ask again in a few minutes.',
  room_locked: 'The room is locked. Ask a moderator to unlock it.',
}

interface Ask {
  at: RoomStanding
  /** As whom they would join. */
  as: Pick<Asking, 'participantId' | 'tabKey'>
  request: FastifyRequest
  reply: FastifyReply
  commit: <T>(work: (trx: Trx, at: RoomStanding) => Promise<T>) => Promise<T>
}

/**
 * Waits for what a moderator decides about somebody who may not simply come in, for as long as they like to be kept
 * waiting. Gives their standing once they may, else under which participant they wait.
 */
export const askToJoin = (context: Context) => {
  const { db, isStopping, live, now, tell } = context

  const look = async (trx: Trx, at: RoomStanding, as: Ask['as'], askedAt: number): Promise<RoomStanding | string> => {
    const refusal = admissionRefusal(at)
    if (refusal === null) return at
    if (refusal === 'room_locked') throw new Problem(refusal, refusals[refusal])
    const { caller, room } = at
    const { userId, externalUserId } = accountsOf(caller)
    const asking = { ...as, roomId: room.id, person: knownAs(caller), name: caller.name, externalUserId }
    const asked = await ask(trx, asking, askedAt)
    if (asked === 'denied') throw new Problem(asked, refusals[asked])
    // Since the standing was found.
    if (asked === 'admitted') return { ...at, admission: 'admitted' }
    const { participantId, isNew } = asked
    if (isNew) {
      const { name } = caller
      await tell(trx, at, 'participant_waiting', { roomId: room.id, participantId, name, userId, externalUserId })
      live.waitingChanged(trx, room.channelId)
    }
    return participantId
  }

  return async ({ at, as, request, reply, commit }: Ask): Promise<RoomStanding | { participantId: string }> => {
    const deadline = performance.now() + waitSecondsOf(request) * 1000
    const gone = goneSignal(reply)
    const who = { roomId: at.room.id, person: knownAs(at.caller) }
    for (;;) {
      const decision = live.waiters.listen(who.roomId, who.person)
      try {
        const askedAt = now()
        const found = await commit((trx, current) => look(trx, current, as, askedAt))
        if (typeof found !== 'string') return found
        const left = deadline - performance.now()
        if (left <= 0 || isStopping()) return { participantId: found }
        await decision.wait(left, gone)
        if (gone.aborted) {
          await stopAsking(db, who, askedAt, now())
          return { participantId: found }
        }
      } finally {
        decision.end()
      }
    }
  }
}

const toWaiting = ({ participantId, name, since, externalUserId }: RowOf<typeof listWaiting>) => ({
  participantId,
  name,
  since: isoTime(since),
  externalUserId,
})

export const waitingRoutes = (serve: Serve, { db, live, now }: Context) => {
  serve('listWaiting', mayModerate, async ({ at, query }) =>
    mapPage(await listWaiting(db, at.room.id, query, now()), toWaiting),
  )

  const decideOn =
    (decision: 'admitted' | 'denied') =>
    (trx: Trx, { room }: RoomStanding, participantId: string) =>
      isId(participantId) ? decide(trx, { roomId: room.id, participantId }, decision, now()) : undefined

  for (const [name, decision] of [
    ['admitWaiting', decideOn('admitted')],
    ['denyWaiting', decideOn('denied')],
  ] as const)
    serve(name, mayModerate, ({ params, commit }) =>
      commit(async (trx, at) => {
        const decided = await decision(trx, at, params.participantId)
        if (!decided) throw notFound('participant')
        await live.entryDecided(trx, at.room, decided.person)
        return {}
      }),
    )

  serve('admitAllWaiting', mayModerate, ({ commit }) =>
    commit(async (trx, at) => {
      await admitAll(trx, at.room.id, now())
      await live.entryDecided(trx, at.room, null)
      return {}
    }),
  )
}
