import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type ChatFormat, chatFileTypes, type Message } from '../../contract/messages.ts'
import { attachment } from '../http/attachment.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem } from '../http/problem.ts'
import { isId } from '../ids.ts'
import {
  chatRefusal,
  mayJoin,
  mayModerate,
  maySeeCalls,
  maySeeCallsOfSpace,
  mayWriteToHosts,
  participantRole,
  type RoomStanding,
  seesHostMessages,
  seesPastHostMessages,
  type UserCaller,
} from '../rules.ts'
import { BATCH } from '../store/batches.ts'
import { findCall, findOpenCall, listOwnInside } from '../store/calls.ts'
import {
  type CallMessage,
  createMessage,
  deleteMessage,
  findMessage,
  listMessages,
  listModeratorsAnd,
  type Reader,
  setAnswered,
} from '../store/messages.ts'
import { mapPage } from '../store/page.ts'
import { accountsOf, findCallName, knownAs, personOf } from '../store/participants.ts'
import { findParticipantStandings, findRoomStanding } from '../store/standing.ts'
import type { Row, Trx } from '../store/tables.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'
import { chatText } from './chatFile.ts'

const toMessage = (message: CallMessage): Message => ({
  id: message.id,
  name: message.name,
  role: message.role,
  text: message.text,
  to: message.isForHosts ? 'hosts' : 'everyone',
  isQuestion: message.isQuestion,
  answeredAt: isoTimeOrNull(message.answeredAt),
  createdAt: isoTime(message.createdAt),
})

export const messageRoutes = (serve: Serve, { db, limits, live, now, tell }: Context) => {
  /** Whom in the call news of the message goes to; undefined: everyone. Roles stay as they are until the end of `trx`. */
  const readersOf = async (
    trx: Trx,
    call: Row<'calls'>,
    { isForHosts, person }: Pick<CallMessage, 'isForHosts' | 'person'>,
  ) => {
    if (!isForHosts) return undefined
    const inside = await listModeratorsAnd(trx, call, person)
    const standings = await findParticipantStandings(trx, call.roomId, inside, now())
    const isReader = (standing: RoomStanding | null | undefined) =>
      standing &&
      mayJoin.refusal(standing) === null &&
      (seesHostMessages(standing) || knownAs(standing.caller) === person)
    return inside.filter((_, index) => isReader(standings[index])).map(({ id }) => id)
  }

  serve('listMessages', mayJoin, async ({ at, query }) => {
    const call = await findOpenCall(db, at.room.id)
    if (!call) return { items: [], nextCursor: null }
    const reader = { seesHostMessages: seesHostMessages(at), person: knownAs(at.caller) }
    return mapPage(await listMessages(db, call, reader, query), toMessage)
  })

  serve('createMessage', mayJoin, async ({ at: { caller }, body, request, reply, commit }) => {
    const linkId = caller.kind === 'guest' ? caller.linkId : null
    await limits.message({ person: personOf(caller), linkId, address: request.ip }, reply)
    return commit(async (trx, at) => {
      const refusal = chatRefusal(at)
      if (refusal) throw new Problem(refusal, 'Chat is turned off in this room.')
      const isForHosts = body.to === 'hosts'
      if (isForHosts && !mayWriteToHosts(at))
        throw new Problem('not_allowed', 'Only webinars have messages to the hosts. Send it to everyone.', {
          rule: 'mayWriteToHosts',
        })
      const call = await findOpenCall(trx, at.room.id)
      if (!call) throw new Problem('no_call', 'There is no live call in this room. Join it first.')
      const stored = await createMessage(trx, {
        callId: call.id,
        person: knownAs(at.caller),
        name: (await findCallName(trx, at.room.id, personOf(at.caller))) ?? at.caller.name,
        role: participantRole(at),
        text: body.text.trim(),
        isForHosts,
        isQuestion: body.isQuestion ?? false,
        createdAt: now(),
      })
      const message = toMessage(stored)
      // What only the hosts may read is not for the owner of the space, whose webhook it is.
      if (!isForHosts)
        await tell(trx, at, 'message_posted', async () => ({
          roomId: at.room.id,
          callId: call.id,
          messageId: stored.id,
          participantId: (await listOwnInside(trx, at.room.id, personOf(at.caller)))[0] ?? null,
          name: stored.name,
          text: stored.text,
          ...accountsOf(at.caller),
        }))
      live.broadcast(trx, call.channelId, 'chat', { type: 'message', message }, await readersOf(trx, call, stored))
      return message
    })
  })

  const requireMessage = async (trx: Trx, roomId: string, id: string) => {
    const message = isId(id) ? await findMessage(trx, roomId, id) : undefined
    if (!message) throw notFound('message')
    return message
  }
  /** The call that the message belongs to, while it goes on. */
  const liveCallOf = async (trx: Trx, roomId: string, { callId }: { callId: string | null }) => {
    const call = await findOpenCall(trx, roomId)
    return callId === null || call?.id === callId ? call : undefined
  }

  serve('setAnswered', mayModerate, ({ params: { messageId: id }, body, commit }) =>
    commit(async (trx, { room }) => {
      const found = await requireMessage(trx, room.id, id)
      if (!found.isQuestion)
        throw new Problem('not_a_question', 'Only messages sent as a question can be marked as answered.')
      const stored = await setAnswered(trx, id, body.answered ? now() : null)
      const message = toMessage(stored)
      const call = await liveCallOf(trx, room.id, stored)
      if (call)
        live.broadcast(trx, call.channelId, 'chat', { type: 'changed', message }, await readersOf(trx, call, stored))
      return message
    }),
  )

  serve('deleteMessage', mayModerate, ({ params: { messageId: id }, commit }) =>
    commit(async (trx, { room }, audit) => {
      const message = await requireMessage(trx, room.id, id)
      await deleteMessage(trx, id)
      await audit({
        action: 'message.deleted',
        target: { type: 'message', id },
        details: { author: message.name, roomId: room.id, roomName: room.name },
      })
      const call = await liveCallOf(trx, room.id, message)
      if (call)
        live.broadcast(trx, call.channelId, 'chat', { type: 'deleted', id }, await readersOf(trx, call, message))
      return {}
    }),
  )

  // Afterwards.

  async function* allMessages(call: Row<'calls'>, reader: Reader) {
    for (let cursor: string | undefined; ; ) {
      const query = { limit: BATCH, ...(cursor !== undefined && { cursor }) }
      const { items, nextCursor } = await listMessages(db, call, reader, query, 'asc')
      yield items.map(toMessage)
      if (nextCursor === null) return
      cursor = nextCursor
    }
  }

  const pastChat = async (
    call: Row<'calls'> | undefined,
    caller: UserCaller,
    { format = 'json', ...query }: { format?: ChatFormat; limit?: number; cursor?: string },
    reply: FastifyReply,
  ) => {
    if (!call) throw notFound('call')
    const { spaceId, roomId, roomName, startedAt } = call
    const standing = await findRoomStanding(db, caller.sessionId, spaceId, roomId, now())
    if (!standing) throw new Problem('token_invalid', 'The session has ended. Sign in again.')
    const inRoom = 'room' in standing ? standing : null
    const reader = { seesHostMessages: seesPastHostMessages(inRoom), person: knownAs(caller) }
    if (format === 'json') return mapPage(await listMessages(db, call, reader, query), toMessage)
    const name = `chat-${isoTime(startedAt).slice(0, 10)}-${roomName}`
    reply.type(chatFileTypes[format]).header('content-disposition', attachment(name, format))
    // A file goes out as it is, past the schema.
    return reply.send(Readable.from(chatText(call, allMessages(call, reader)))) as never
  }

  serve('listCallMessages', maySeeCalls, async ({ at, params, query, reply }) =>
    pastChat(await findCall(db, at.space.id, at.room.id, params.callId), at.caller as UserCaller, query, reply),
  )

  serve('listSpaceCallMessages', maySeeCallsOfSpace, async ({ at, params, query, reply }) =>
    pastChat(await findCall(db, at.space.id, null, params.callId), at.caller, query, reply),
  )
}
