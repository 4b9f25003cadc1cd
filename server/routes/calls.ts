import { newId } from '../ids.ts'
import { Problem } from '../problem.ts'
import { isOnModeratorsSide, mayJoin, mediaRights } from '../rules.ts'
import type { Context, Serve } from '../serve.ts'

export const callRoutes = (serve: Serve, { media }: Context) => {
  serve('joinRoom', mayJoin, async ({ at }) => {
    if (!media) throw new Problem('media_off', 'This installation has no media engine, so nobody can join a broadcast.')
    const participant = { participantId: newId(), name: at.caller.name, rights: mediaRights(at) }
    return {
      participantId: participant.participantId,
      name: participant.name,
      role: isOnModeratorsSide(at) ? 'moderator' : 'user',
      ...(await media.admit(at.room.channelId, participant)),
    }
  })
}
