import type { Message } from '../../contract/messages.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem } from '../http/problem.ts'
import { isId } from '../ids.ts'
import { chatRefusal, mayJoin, mayModerate, participantRole } from '../rules.ts'
import { createMessage, deleteMessage, listMessages } from '../store/messages.ts'
import { mapPage } from '../store/page.ts'
import { personOf } from '../store/participants.ts'
import type { Row } from '../store/tables.ts'
import { isoTime } from '../times.ts'

const toMessage = ({ id, name, role, text, createdAt }: Row<'messages'>): Message => ({
  id,
  name,
  role,
  text,
  createdAt: isoTime(createdAt),
})

export const messageRoutes = (serve: Serve, { db, limits, live, now }: Context) => {
  serve('listMessages', mayJoin, async ({ at, query }) => mapPage(await listMessages(db, at.room.id, query), toMessage))

  serve('createMessage', mayJoin, async ({ at: { caller }, body, request, reply, commit }) => {
    const linkId = caller.kind === 'guest' ? caller.linkId : null
    await limits.message({ person: personOf(caller), linkId, address: request.ip }, reply)
    return commit(async (trx, at) => {
      const { room } = at
      const refusal = chatRefusal(at)
      if (refusal) throw new Problem(refusal, 'Chat is turned off in this room.')
      const message = toMessage(
        await createMessage(trx, {
          roomId: room.id,
          person: personOf(at.caller),
          name: at.caller.name,
          role: participantRole(at),
          text: body.text.trim(),
          createdAt: now(),
        }),
      )
      live.broadcast(trx, room.channelId, 'chat', { type: 'message', message })
      return message
    })
  })

  serve('deleteMessage', mayModerate, ({ params: { messageId: id }, commit }) =>
    commit(async (trx, at, audit) => {
      const message = isId(id) ? await deleteMessage(trx, at.room.id, id) : undefined
      if (!message) throw notFound('message')
      await audit({
        action: 'message.deleted',
        target: { type: 'message', id },
        details: { author: message.name, roomId: at.room.id, roomName: at.room.name },
      })
      live.broadcast(trx, at.room.channelId, 'chat', { type: 'deleted', id })
      return {}
    }),
  )
}
