import Type, { type Static } from 'typebox'
import { ParticipantRole } from './calls.ts'
import { closed, Empty, Id, Page, PageQuery, Text, Time } from './common.ts'
import { operation } from './operation.ts'

export const Message = Type.Object(
  {
    id: Id('Message'),
    name: Type.String({ description: 'Who wrote it' }),
    role: ParticipantRole,
    text: Type.String(),
    createdAt: Time('When'),
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
    summary: 'Write a chat message',
    description:
      'Stored, and sent to everyone in the call over their media connection under the topic `chat`. ' +
      'In 10 seconds one person may write 20, all guests of one link 100, and one address 200.',
    tokens: ['user', 'guest'],
    idempotent: true,
    body: Type.Object(
      {
        text: Text(4000, {
          minLength: 1,
          pattern: '^(?=[^]*\\S)[^\\u0000\\p{Cs}]*$',
          description: 'At most 4,000 characters, not blank. Stored trimmed',
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
    description: 'By moderators.',
    tokens: ['user', 'guest'],
    answer: Empty,
  }),
}
