import Type, { type Static } from 'typebox'
import { ParticipantRole } from './calls.ts'
import { closed, Empty, Id, Page, PageQuery, Text, Time } from './common.ts'
import { operation } from './operation.ts'

export const Message = Type.Object(
  {
    id: Id('Message'),
    name: Type.String({ description: 'Name of the sender' }),
    role: ParticipantRole,
    text: Type.String(),
    createdAt: Time('When it was sent'),
  },
  { title: 'Message' },
)
export type Message = Static<typeof Message>

const path = '/v1/spaces/:spaceId/rooms/:roomId/messages'

export const messages = {
  listMessages: operation({
    method: 'GET',
    path,
    tag: 'Chat',
    summary: 'List the chat messages of a room',
    description: 'Newest first.',
    tokens: ['user', 'client', 'guest'],
    query: PageQuery,
    answer: Page(Message),
  }),
  createMessage: operation({
    method: 'POST',
    path,
    tag: 'Chat',
    summary: 'Send a chat message',
    description:
      'Stored, and sent to everyone in the call over the media connection with the topic `chat`. ' +
      'Limits in 10 seconds: 20 messages per person, 100 per guest link and 200 per IP address.',
    tokens: ['user', 'guest'],
    idempotent: true,
    body: Type.Object(
      {
        text: Text(4000, {
          minLength: 1,
          pattern: '^(?=[^]*\\S)[^\\u0000\\p{Cs}]*$',
          description: 'Up to 4,000 characters, not blank. Leading and trailing whitespace is removed',
          examples: ['Good evening!'],
        }),
      },
      closed,
    ),
    answer: Message,
  }),
  deleteMessage: operation({
    method: 'DELETE',
    path: `${path}/:messageId`,
    tag: 'Chat',
    summary: 'Delete a chat message',
    description: 'Requires a moderator.',
    tokens: ['user', 'guest'],
    answer: Empty,
    audit: ['message.deleted'],
  }),
}
