import type { Message } from '../../../contract/messages.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { type Call, type CallsOf, callPath } from './calls.ts'

const load = ({ spaceId, roomId }: CallsOf, callId: string, query: { limit?: number; cursor?: string }) =>
  roomId === undefined
    ? api.listSpaceCallMessages({ spaceId, callId, ...query })
    : api.listCallMessages({ spaceId, roomId, callId, ...query })

/** What was written in the call, newest first; while it goes on, as of now. */
export const useChat = (of: CallsOf, { id, endedAt }: Call) =>
  usePages(
    ['call messages', of.spaceId, of.roomId ?? '', id],
    query => load(of, id, query),
    endedAt === null ? { refetchInterval: 5000 } : {},
  )

/** The whole chat as text, by a plain link. */
export const chatFile = (of: CallsOf, callId: string) => `${callPath(of, callId)}/messages?format=txt`

/** The whole chat as JSON, oldest first. */
export const downloadChat = async (of: CallsOf, call: Call) => {
  const messages: Message[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await load(of, call.id, { limit: 200, ...(cursor && { cursor }) })
    messages.push(...page.items)
    cursor = page.nextCursor
  }
  const file = new Blob([JSON.stringify({ call, messages: messages.reverse() }, null, 2)], { type: 'application/json' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = `chat-${call.startedAt.slice(0, 10)}-${call.roomName}.json`
  link.click()
  // Not before the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
