import type { Message } from '../../contract/messages.ts'
import type { Row } from '../store/tables.ts'
import { isoTime } from '../times.ts'

/** `2026-01-31 09:30:00` */
const written = (iso: string) => iso.slice(0, 19).replace('T', ' ')

const noteOf = ({ role, to, isQuestion, answeredAt }: Message) => {
  const notes = [
    ...(role === 'moderator' ? ['moderator'] : []),
    ...(to === 'hosts' ? ['to hosts'] : []),
    ...(isQuestion ? [answeredAt === null ? 'question' : `question, answered ${written(answeredAt)}`] : []),
  ]
  return notes.length > 0 ? ` (${notes.join('; ')})` : ''
}

/** Later lines are indented, so that none of them can pass for another message. */
const lineOf = (message: Message) =>
  `[${written(message.createdAt)}] ${message.name}${noteOf(message)}: ${message.text.replace(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, '\n    ')}\n`

/** The whole chat as text, a page of messages at a time. */
export async function* chatText(
  { roomName, startedAt, endedAt }: Row<'calls'>,
  pages: AsyncIterable<Message[]>,
): AsyncGenerator<string> {
  const until = endedAt === null ? '' : ` – ${written(isoTime(endedAt))}`
  // The mark tells editors that this is UTF-8.
  yield `\uFEFF${roomName}\nCall: ${written(isoTime(startedAt))}${until}\nAll times are in UTC.\n\n`
  for await (const page of pages) yield page.map(lineOf).join('')
}
