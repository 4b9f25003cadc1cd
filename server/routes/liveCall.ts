import { notFound, Problem } from '../http/problem.ts'
import { isId } from '../ids.ts'
import type { RoomStanding } from '../rules.ts'
import { findOpenCall, holdOpenCall } from '../store/calls.ts'
import { findParticipant } from '../store/participants.ts'
import type { Db, Row, Trx } from '../store/tables.ts'

/* What routes of the live call begin with. */

const orNoCall = (call: Row<'calls'> | undefined) => {
  if (!call) throw new Problem('no_call', 'There is no live call in this room.')
  return call
}

export const requireOpenCall = async (db: Db, roomId: string) => orNoCall(await findOpenCall(db, roomId))

/** It goes on until the transaction ends. */
export const holdCall = async (trx: Trx, roomId: string) => orNoCall(await holdOpenCall(trx, roomId))

/** Also someone who has left already. */
export const requireParticipant = async (db: Db, roomId: string, id: string) => {
  const participant = isId(id) ? await findParticipant(db, id) : undefined
  if (participant?.roomId !== roomId) throw notFound('participant')
  return participant
}

/** For operations on one participant: 404 before anything else is looked at. */
export const findParticipantFirst = (db: Db) => ({
  find: (params: { participantId: string }, { room }: RoomStanding) =>
    requireParticipant(db, room.id, params.participantId),
})
