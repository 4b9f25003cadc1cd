import Type, { type Static } from 'typebox'
import { closed, Id } from './common.ts'
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
}
