import Type, { type Static } from 'typebox'
import { ParticipantRole } from './calls.ts'
import { closed, Empty, Id, Nullable, Page, Paging, Text, Time, WithDefault } from './common.ts'
import { operation } from './operation.ts'
import { joinErrors } from './refusals.ts'

const Audience = Type.Unsafe<'everyone' | 'hosts'>(
  Type.String({
    enum: ['everyone', 'hosts'],
    description: 'hosts: only moderators and the sender see it. Webinars only',
    examples: ['everyone'],
  }),
)
export type Audience = Static<typeof Audience>

export const Message = Type.Object(
  {
    id: Id('Message'),
    name: Type.String({ description: 'Name of the sender' }),
    role: ParticipantRole,
    text: Type.String(),
    to: Audience,
    isQuestion: Type.Boolean(),
    answeredAt: Nullable(Time('When a moderator marked the question as answered; null if none has')),
    createdAt: Time('When it was sent'),
  },
  { title: 'Message' },
)
export type Message = Static<typeof Message>

const MessageFilter = Type.Unsafe<'questions' | 'unanswered'>(
  Type.String({ enum: ['questions', 'unanswered'], description: 'Only questions, or only those not answered yet' }),
)
export type MessageFilter = Static<typeof MessageFilter>

export const chatFileTypes = { txt: 'text/plain; charset=utf-8' }
export type ChatFormat = 'json' | keyof typeof chatFileTypes

const room = '/v1/spaces/:spaceId/rooms/:roomId'
const path = `${room}/messages` as const

const pastChat = {
  method: 'GET',
  tag: 'Past calls',
  description:
    'Newest first. Messages to the hosts are included for moderators of the room, and, once the room has been deleted, ' +
    'for everyone who can see its calls.',
  tokens: ['user', 'client'],
  query: Type.Object(
    {
      format: Type.Optional(
        Type.Unsafe<ChatFormat>(
          Type.String({
            enum: ['json', 'txt'],
            default: 'json',
            description: 'txt is returned as a file of the whole chat, oldest first',
          }),
        ),
      ),
      ...Paging,
    },
    closed,
  ),
  answer: Page(Message),
  files: Object.values(chatFileTypes),
} as const

export const messages = {
  listMessages: operation({
    method: 'GET',
    path,
    tag: 'Chat',
    summary: 'List the chat messages of the live call',
    description:
      'Newest first. Empty if no one is in the room. The messages of earlier calls are in `listCallMessages`, for those ' +
      'who can see past calls.',
    tokens: ['user', 'client', 'guest'],
    scope: 'messages:read',
    query: Type.Object({ filter: Type.Optional(MessageFilter), ...Paging }, closed),
    answer: Page(Message),
    errors: [...joinErrors],
  }),
  createMessage: operation({
    method: 'POST',
    path,
    tag: 'Chat',
    summary: 'Send a chat message',
    description:
      'Stored with the live call, and sent to everyone in it over the media connection with the topic `chat`; a message ' +
      'to the hosts is sent only to them and the sender. Returns 404 `no_call` if no one is in the room. ' +
      'Limits in 10 seconds: 20 messages per person, 100 per guest link and 200 per IP address.',
    tokens: ['user', 'guest'],
    scope: 'messages:write',
    idempotent: true,
    body: Type.Object(
      {
        text: Text(4000, {
          minLength: 1,
          pattern: '\\S',
          description: 'Up to 4,000 characters, not blank. Leading and trailing whitespace is removed',
          examples: ['Good evening!'],
        }),
        to: WithDefault(Audience, 'everyone'),
        isQuestion: Type.Optional(
          Type.Boolean({ default: false, description: 'A question, which moderators can mark as answered' }),
        ),
      },
      closed,
    ),
    answer: Message,
    errors: [...joinErrors, 'no_call', 'chat_off'],
  }),
  setAnswered: operation({
    method: 'PUT',
    path: `${path}/:messageId/answered`,
    tag: 'Chat',
    summary: 'Mark a question as answered',
    description: 'Requires a moderator. Whoever sees the question sees that. Returns 409 `not_a_question` for others.',
    tokens: ['user', 'guest'],
    scope: 'messages:write',
    body: Type.Object({ answered: Type.Boolean({ examples: [true] }) }, closed),
    answer: Message,
    errors: ['not_a_question'],
  }),
  deleteMessage: operation({
    method: 'DELETE',
    path: `${path}/:messageId`,
    tag: 'Chat',
    summary: 'Delete a chat message',
    description: 'Requires a moderator. Also deletes messages of past calls.',
    tokens: ['user', 'guest'],
    scope: 'messages:write',
    answer: Empty,
    audit: ['message.deleted'],
  }),
  listCallMessages: operation({
    ...pastChat,
    path: `${room}/calls/:callId/messages`,
    scope: 'messages:read',
    summary: 'List the chat messages of a call',
  }),
  listSpaceCallMessages: operation({
    ...pastChat,
    path: '/v1/spaces/:spaceId/calls/:callId/messages',
    scope: 'messages:read',
    summary: 'List the chat messages of a call of a space',
  }),
}
