import Type from 'typebox'
import { Empty, Id, Nullable, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'

const room = '/v1/spaces/:spaceId/rooms/:roomId'

const WaitingPerson = Type.Object(
  {
    participantId: Id('Participant they will join as'),
    name: Type.String(),
    since: Time('When they began to wait'),
    externalUserId: Nullable(Type.String({ description: 'As set on the guest link' })),
  },
  { title: 'WaitingPerson' },
)

const decision = { method: 'POST', tag: 'Waiting room', tokens: ['user', 'guest'], body: Empty, answer: Empty } as const

export const waiting = {
  listWaiting: operation({
    method: 'GET',
    path: `${room}/waiting`,
    tag: 'Waiting room',
    summary: 'List who is waiting to join',
    description:
      'In the order they began to wait. Requires a moderator. No call needs to be live. Someone who stops asking is no ' +
      'longer listed after 40 seconds at most. When the list changes, moderators in the call receive a data message with ' +
      'the topic `waiting` and `{"type":"changed"}` over the media connection.',
    tokens: ['user', 'client', 'guest'],
    scope: 'calls:read',
    query: PageQuery,
    answer: Page(WaitingPerson),
  }),
  admitWaiting: operation({
    ...decision,
    path: `${room}/waiting/:participantId/admit`,
    scope: 'calls:write',
    summary: 'Admit a person who is waiting',
    description: 'They can join at once, and rejoin without asking until the call ends.',
  }),
  denyWaiting: operation({
    ...decision,
    path: `${room}/waiting/:participantId/deny`,
    scope: 'calls:write',
    summary: 'Deny a person who is waiting',
    description: 'Joining returns 403 `denied` until the call ends, for ten minutes at most. They can ask again then.',
  }),
  admitAllWaiting: operation({
    ...decision,
    path: `${room}/waiting/admit`,
    scope: 'calls:write',
    summary: 'Admit everyone who is waiting',
  }),
}
