import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem } from '../http/problem.ts'
import { mayJoin, mayModerate, type RoomStanding, renamingRefusal } from '../rules.ts'
import { isInside, listOwnInside, renameStays, setSpotlight } from '../store/calls.ts'
import { lowerHands, personOf, returnFloor, setCallName, setHand } from '../store/participants.ts'
import type { Db } from '../store/tables.ts'
import { findParticipantFirst, holdCall, requireOpenCall, requireParticipant } from './liveCall.ts'

export const callControlRoutes = (serve: Serve, { db, limits, live }: Context) => {
  /** The caller's participants in the call: one for each tab or device. */
  const requireInside = async (on: Db, { room, caller }: RoomStanding) => {
    const participantIds = await listOwnInside(on, room.id, personOf(caller))
    if (participantIds.length === 0) throw new Problem('not_in_call', 'Join the call first.')
    return participantIds
  }

  serve(
    'lowerHand',
    mayModerate,
    ({ params: { participantId }, commit }) =>
      commit(async (trx, { room }) => {
        await holdCall(trx, room.id)
        const { person } = await requireParticipant(trx, room.id, participantId)
        await setHand(trx, room.id, person, null)
        live.callChanged(trx, room.channelId)
        return {}
      }),
    findParticipantFirst(db),
  )

  serve('lowerAllHands', mayModerate, ({ commit }) =>
    commit(async (trx, { room }) => {
      await holdCall(trx, room.id)
      await lowerHands(trx, room.id)
      live.callChanged(trx, room.channelId)
      return {}
    }),
  )

  serve('returnFloor', mayJoin, async ({ at: { room }, commit }) => {
    const returned = await commit(async (trx, at) => {
      await holdCall(trx, room.id)
      live.callChanged(trx, room.channelId)
      return returnFloor(trx, room.id, personOf(at.caller))
    })
    await Promise.all(returned.map(participantId => live.applyRights(room.channelId, participantId)))
    return {}
  })

  serve('setSpotlight', mayModerate, ({ body: { participantId, source = 'camera' }, commit }) =>
    commit(async (trx, { room }) => {
      const call = await holdCall(trx, room.id)
      if (participantId !== null && !(await isInside(trx, call.id, participantId))) throw notFound('participant')
      await setSpotlight(trx, call.id, participantId === null ? null : { participantId, source })
      live.callChanged(trx, room.channelId)
      return {}
    }),
  )

  serve('sendReaction', mayJoin, async ({ at, body: { reaction }, reply }) => {
    const { caller, room } = at
    await limits.request('reaction', personOf(caller), reply)
    await requireOpenCall(db, room.id)
    for (const participantId of await requireInside(db, at)) live.react(room.channelId, { participantId, reaction })
    return {}
  })

  serve('setCallName', mayJoin, async ({ at: { room }, body, commit }) => {
    const name = body.name.trim()
    const renamed = await commit(async (trx, at) => {
      const refusal = renamingRefusal(at)
      if (refusal) throw new Problem(refusal, 'A moderator turned off changing names in this room.')
      await holdCall(trx, room.id)
      const participantIds = await requireInside(trx, at)
      await setCallName(trx, { roomId: room.id, person: personOf(at.caller), name })
      await renameStays(trx, participantIds, name)
      live.callChanged(trx, room.channelId)
      return participantIds
    })
    await Promise.all(renamed.map(participantId => live.applyRights(room.channelId, participantId)))
    return {}
  })
}
