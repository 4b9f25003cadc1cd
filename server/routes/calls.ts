import { isoTime } from '../ids.ts'
import type { MediaState } from '../media/media.ts'
import { Problem } from '../problem.ts'
import { isOnModeratorsSide, mayJoin, mayModerate, mediaRights } from '../rules.ts'
import type { Context, Serve } from '../serve.ts'
import { enrol, findOpenCall, isBarred, lastCall, openStints } from '../store/calls.ts'
import { onCommit } from '../store/db.ts'
import type { Db } from '../store/tables.ts'

/** How long plain users stay out after a moderator has ended the call. */
const ENDED_MS = 60_000

const notReady = (state: MediaState): Problem => {
  if (state.status === 'off')
    return new Problem('media_off', 'This installation has no media engine, so nobody can join a broadcast.')
  if (state.status === 'failed') return new Problem('media_off', state.reason)
  const progress = state.status === 'preparing' ? ` (${state.percent} %)` : ''
  return new Problem('media_starting', `The media engine is being prepared${progress}. Try again in a moment.`, {
    headers: { 'retry-after': '5' },
  })
}

export const callRoutes = (serve: Serve, { calls, db, media, now, publicOrigin }: Context) => {
  const requireCall = async (on: Db, roomId: string) => {
    const call = await findOpenCall(on, roomId)
    if (!call) throw new Problem('no_call', 'No call is going on in this room.')
    return call
  }

  serve('joinRoom', mayJoin, async ({ at, body, commit }) => {
    const engine = media.engine()
    if (!engine || media.state().status !== 'ready') throw notReady(media.state())
    const role = isOnModeratorsSide(at) ? 'moderator' : 'user'
    const { caller, room } = at
    if (role === 'user') {
      const last = await lastCall(db, room.id)
      if (last?.wasEnded === 1 && last.endedAt !== null && last.endedAt > now() - ENDED_MS)
        throw new Problem(
          'call_ended',
          'The call has been ended. It can be joined again in a minute, or once a moderator is in it.',
        )
    }
    const externalUserId = caller.kind === 'guest' ? caller.externalUserId : null
    const { participantId, hasFloor } = await commit(async trx => {
      if (await isBarred(trx, room.id, caller))
        throw new Problem('removed', 'A moderator has removed you from this room.')
      return enrol(trx, room.id, caller, externalUserId, body.tabKey, now())
    })
    const participant = { participantId, name: caller.name, rights: mediaRights(at, hasFloor) }
    return {
      participantId,
      name: caller.name,
      role,
      mediaUrl: `${publicOrigin().replace(/^http/, 'ws')}/media`,
      mediaToken: await engine.control.admit(room.channelId, participant),
    }
  })

  serve('getCall', mayJoin, async ({ at }) => {
    const call = await requireCall(db, at.room.id)
    return {
      id: call.id,
      startedAt: isoTime(call.startedAt),
      participants: (await openStints(db, call.id)).map(({ participantId, name, role, joinedAt }) => ({
        participantId,
        name,
        role,
        joinedAt: isoTime(joinedAt),
      })),
    }
  })

  serve('endCall', mayModerate, ({ commit }) =>
    commit(async (trx, at) => {
      const call = await requireCall(trx, at.room.id)
      await calls.end(trx, call)
      onCommit(trx, () => void media.engine()?.control.close(call.channelId))
      return {}
    }),
  )
}
