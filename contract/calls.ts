import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Time } from './common.ts'
import { operation } from './operation.ts'

export const ParticipantRole = Type.Unsafe<'user' | 'moderator'>(Type.String({ enum: ['user', 'moderator'] }))
export type ParticipantRole = Static<typeof ParticipantRole>

export const calls = {
  joinRoom: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/rooms/:roomId/join',
    tag: 'Joining',
    summary: 'Join the broadcast',
    description: 'With a user token, or with the guest token of a link to this room.',
    tokens: ['user', 'guest'],
    body: Type.Object(
      {
        tabKey: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9_-]{8,64}$',
            description: 'Made by the page for its tab: joining again with it replaces the old connection',
          }),
        ),
      },
      closed,
    ),
    answer: Type.Object({
      participantId: Id('This participant'),
      name: Type.String(),
      role: ParticipantRole,
      mediaUrl: Type.String(),
      mediaToken: Type.String({ description: 'Connect with it within a minute' }),
    }),
  }),
  getCall: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/rooms/:roomId/call',
    tag: 'Calls',
    summary: 'Read the call going on',
    description: 'With who is in it. 404 `no_call` while nobody is in the room.',
    tokens: ['user', 'client', 'guest'],
    answer: Type.Object({
      id: Id('Call'),
      startedAt: Time('When the first participant entered'),
      participants: Type.Array(
        Type.Object({
          participantId: Id('Participant'),
          name: Type.String(),
          role: ParticipantRole,
          joinedAt: Time('When they entered'),
        }),
      ),
    }),
  }),
  endCall: operation({
    method: 'POST',
    path: '/v1/spaces/:spaceId/rooms/:roomId/call/end',
    tag: 'Calls',
    summary: 'End the call for all',
    description: 'Afterwards plain users cannot come back for a minute, unless a moderator enters.',
    tokens: ['user', 'guest'],
    body: Empty,
    answer: Empty,
  }),
}
