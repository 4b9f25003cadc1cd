import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Nullable, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'

export const ParticipantRole = Type.Unsafe<'user' | 'moderator'>(Type.String({ enum: ['user', 'moderator'] }))
export type ParticipantRole = Static<typeof ParticipantRole>

const Source = Type.Unsafe<'microphone' | 'camera' | 'screen'>(
  Type.String({ enum: ['microphone', 'camera', 'screen'], examples: ['microphone'] }),
)

const room = '/v1/spaces/:spaceId/rooms/:roomId'
const moderation = { tag: 'Calls', tokens: ['user', 'guest'], answer: Empty } as const

const Call = Type.Object(
  {
    id: Id('Call'),
    roomId: Id('Room; it may be gone by now'),
    roomName: Type.String({ description: 'The name of the room when the call began' }),
    startedAt: Time('When the first participant entered'),
    endedAt: Nullable(Time('When it ended; null while it goes on')),
  },
  { title: 'Call' },
)

const PastParticipant = Type.Object(
  {
    participantId: Id('Participant'),
    userId: Nullable(Id('Account, if any')),
    externalUserId: Nullable(Type.String({ description: 'As given with the guest link' })),
    name: Type.String(),
    role: ParticipantRole,
    stays: Type.Array(Type.Object({ joinedAt: Time('Entered'), leftAt: Nullable(Time('Left; null while there')) })),
    totalSeconds: Type.Integer({ description: 'Time spent in the call' }),
  },
  { title: 'Past participant' },
)
export type PastParticipant = Static<typeof PastParticipant>

export const attendanceFileTypes = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}
export type AttendanceFormat = 'json' | keyof typeof attendanceFileTypes

const AttendanceQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Unsafe<AttendanceFormat>(
        Type.String({ enum: ['json', 'csv', 'xlsx'], description: 'json unless told; the others are files' }),
      ),
    ),
  },
  closed,
)

const attendance = {
  method: 'GET',
  tag: 'Past calls',
  tokens: ['user', 'client'],
  query: AttendanceQuery,
  answer: Type.Object({ items: Type.Array(PastParticipant) }),
  files: Object.values(attendanceFileTypes),
} as const

export const calls = {
  joinRoom: operation({
    method: 'POST',
    path: `${room}/join`,
    tag: 'Calls',
    summary: 'Join the broadcast',
    description:
      'With a user token, or with the guest token of a link to this room. Connect to `mediaUrl` with `mediaToken` and any ' +
      'LiveKit client, within a minute.',
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
      mediaToken: Type.String(),
    }),
  }),
  getCall: operation({
    method: 'GET',
    path: `${room}/call`,
    tag: 'Calls',
    summary: 'Read the call going on',
    description:
      'With who is in it. 404 `no_call` while nobody is in the room. Those in the call are told when to read it again: a ' +
      'data message with the topic `call` and `{"type":"changed"}` over the media connection.',
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
          handRaisedAt: Nullable(Time('Since when the hand is up')),
          hasFloor: Type.Boolean({ description: 'Put on the air of a webinar by a moderator' }),
        }),
      ),
    }),
  }),
  setHand: operation({
    ...moderation,
    method: 'PUT',
    path: `${room}/call/hand`,
    summary: 'Raise or lower your hand',
    description: 'It goes down by itself with the floor, and when the call ends.',
    body: Type.Object({ raised: Type.Boolean({ examples: [true] }) }, closed),
  }),
  endCall: operation({
    ...moderation,
    method: 'POST',
    path: `${room}/call/end`,
    summary: 'End the call for all',
    description: 'Afterwards plain users cannot come back for a minute, unless a moderator enters.',
    body: Empty,
  }),
  muteAll: operation({
    ...moderation,
    method: 'POST',
    path: `${room}/call/mute`,
    summary: 'Mute everyone but moderators',
    description: 'They can switch it on again themselves.',
    body: Type.Object({ source: Source }, closed),
  }),
  muteParticipant: operation({
    ...moderation,
    method: 'POST',
    path: `${room}/call/participants/:participantId/mute`,
    summary: 'Mute a participant',
    body: Type.Object({ source: Source }, closed),
  }),
  removeParticipant: operation({
    ...moderation,
    method: 'POST',
    path: `${room}/call/participants/:participantId/remove`,
    summary: 'Remove a participant for good',
    description: 'Bans the account, or the link if it names a person, or else this guest, from the room.',
    body: Empty,
  }),
  setFloor: operation({
    ...moderation,
    method: 'PUT',
    path: `${room}/call/participants/:participantId/floor`,
    summary: 'Give or take the floor',
    description:
      'Puts a viewer of a webinar on the air, until it is taken or the call ends. Only where `isFloorAllowed`.',
    body: Type.Object({ onAir: Type.Boolean({ examples: [true] }) }, closed),
  }),
  listCalls: operation({
    method: 'GET',
    path: `${room}/calls`,
    tag: 'Past calls',
    summary: 'List the calls of a room',
    tokens: ['user', 'client'],
    query: PageQuery,
    answer: Page(Call),
  }),
  readCall: operation({
    method: 'GET',
    path: `${room}/calls/:callId`,
    tag: 'Past calls',
    summary: 'Read a call',
    tokens: ['user', 'client'],
    answer: Call,
  }),
  getAttendance: operation({
    ...attendance,
    path: `${room}/calls/:callId/attendance`,
    summary: 'Read who attended',
  }),
  listSpaceCalls: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/calls',
    tag: 'Past calls',
    summary: 'List the calls of a space',
    description: 'Also those of rooms that are gone.',
    tokens: ['user', 'client'],
    query: PageQuery,
    answer: Page(Call),
  }),
  readSpaceCall: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/calls/:callId',
    tag: 'Past calls',
    summary: 'Read a call of a space',
    tokens: ['user', 'client'],
    answer: Call,
  }),
  getSpaceAttendance: operation({
    ...attendance,
    path: '/v1/spaces/:spaceId/calls/:callId/attendance',
    summary: 'Read who attended a call of a space',
  }),
}
