import type { Scene } from '../../contract/recorderPage.ts'
import { countInside, findStage, listInside, listProminent } from '../store/calls.ts'
import type { Db } from '../store/tables.ts'
import { isoTimeOrNull } from '../times.ts'

/** Of a larger call those who matter on the stage are enough: the engine knows the names of all. */
const LISTED_WHOLE = 100
const LISTED_OF_EACH = 50

export const sceneOf = async (db: Db, callId: string): Promise<Scene> => {
  const stage = await findStage(db, callId)
  if (!stage) throw new Error('there is no such call')
  const { roomId, roomType, spotlightId, spotlightSource } = stage
  const isLarge = (await countInside(db, callId)) > LISTED_WHOLE
  const listed = isLarge
    ? await listProminent(db, { id: callId, roomId }, '', LISTED_OF_EACH)
    : await listInside(db, callId)
  return {
    roomType,
    spotlight: spotlightId && spotlightSource ? { participantId: spotlightId, source: spotlightSource } : null,
    participants: listed.map(({ participantId, name, role, handRaisedAt }) => ({
      participantId,
      name,
      role,
      handRaisedAt: isoTimeOrNull(handRaisedAt),
    })),
  }
}
