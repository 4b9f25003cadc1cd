import Type, { type Static } from 'typebox'
import { Spotlight } from './callControls.ts'
import { closed, Empty, Id, Nullable, OneOf, Page, Paging, Search, SortedPaging, Text, Time } from './common.ts'
import { operation } from './operation.ts'
import { LiveRecord } from './records.ts'
import { joinErrors } from './refusals.ts'
import { LiveStream } from './streams.ts'

export const ParticipantRole = Type.Unsafe<'user' | 'moderator'>(Type.String({ enum: ['user', 'moderator'] }))
export type ParticipantRole = Static<typeof ParticipantRole>

const Source = Type.Unsafe<'microphone' | 'camera' | 'screen'>(
  Type.String({ enum: ['microphone', 'camera', 'screen'], examples: ['microphone'] }),
)

const room = '/v1/spaces/:spaceId/rooms/:roomId'
const moderation = { tag: 'Calls', tokens: ['user', 'guest'], answer: Empty } as const

const Participant = Type.Object(
  {
    participantId: Id('Participant'),
    name: Type.String(),
    role: ParticipantRole,
    joinedAt: Time('When they joined'),
    handRaisedAt: Nullable(Time('When the hand was raised; null if it is not')),
    hasFloor: Type.Boolean({ description: 'Whether a moderator let this webinar viewer speak' }),
    userId: Nullable(Id('User; null for a guest, and if you are one')),
    externalUserId: Nullable(Type.String({ description: 'As set on the guest link; null if you are not a moderator' })),
  },
  { title: 'Participant' },
)

/** Typed by its state; written as one object, which costs less to validate and to write. */
const Joined = Type.Unsafe<
  | {
      state: 'admitted'
      participantId: string
      name: string
      role: ParticipantRole
      mediaUrl: string
      mediaToken: string
    }
  | { state: 'waiting'; participantId: string; name: string; role: ParticipantRole }
>(
  Type.Object(
    {
      state: Type.String({
        enum: ['admitted', 'waiting'],
        description: 'admitted: connect to the call. waiting: a moderator has to admit you first; ask again',
      }),
      participantId: Id('This participant'),
      name: Type.String(),
      role: ParticipantRole,
      mediaUrl: Type.Optional(Type.String({ description: 'With `admitted`' })),
      mediaToken: Type.Optional(Type.String({ description: 'With `admitted`' })),
    },
    { title: 'Joined' },
  ),
)

/** Of lists of calls. */
const started = {
  from: Type.Optional(Time('Only calls that started at this time or later')),
  to: Type.Optional(Time('Only calls that started before this time')),
  sort: Type.Optional(
    OneOf(['-startedAt', 'startedAt'], {
      description: 'Default -startedAt, newest first. Not together with `q`, which sorts by room name',
    }),
  ),
}

const CallState = Type.Optional(
  Type.Unsafe<'live' | 'ended'>(
    Type.String({ enum: ['live', 'ended'], description: 'Only calls that are live, or only those that have ended' }),
  ),
)

const Call = Type.Object(
  {
    id: Id('Call'),
    roomId: Id('Room. It may have been deleted since'),
    roomName: Type.String({ description: 'Name of the room when the call started' }),
    startedAt: Time('When the first participant joined'),
    endedAt: Nullable(Time('When it ended; null while the call is live')),
  },
  { title: 'Call' },
)

const Stay = Type.Object(
  {
    joinedAt: Time('When they joined'),
    leftAt: Nullable(Time('When they left; null while in the call')),
  },
  { title: 'Stay' },
)

const PastParticipant = Type.Object(
  {
    participantId: Id('Participant'),
    userId: Nullable(Id('User, if they joined with an account')),
    externalUserId: Nullable(Type.String({ description: 'As set on the guest link' })),
    name: Type.String(),
    role: ParticipantRole,
    stays: Type.Array(Stay),
    totalSeconds: Type.Integer({ description: 'Total time in the call' }),
  },
  { title: 'PastParticipant' },
)
export type PastParticipant = Static<typeof PastParticipant>

const PastPerson = Type.Object(
  {
    userId: Nullable(Id('User, if they joined with an account')),
    externalUserId: Nullable(Type.String({ description: 'As set on the guest link' })),
    name: Type.String({ description: 'The name they went by last' }),
    linkName: Type.Optional(Type.String({ description: 'Name on the guest link, if they went by another' })),
    role: ParticipantRole,
    firstJoinedAt: Time('When they first joined'),
    lastLeftAt: Nullable(Time('When they last left; null while in the call')),
    seconds: Type.Integer({
      description: 'Total time in the call. Time in several tabs or devices at once counts once',
    }),
    stays: Type.Array(Stay, { description: 'In order. Stays that overlap are one' }),
  },
  { title: 'PastPerson' },
)
export type PastPerson = Static<typeof PastPerson>

export const attendanceFileTypes = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}
export type AttendanceFormat = 'json' | keyof typeof attendanceFileTypes

const AttendanceQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Unsafe<AttendanceFormat>(
        Type.String({
          enum: ['json', 'csv', 'xlsx'],
          default: 'json',
          description: 'csv and xlsx are files with a row for each person; xlsx also has a sheet of all stays',
        }),
      ),
    ),
  },
  closed,
)

const attendance = {
  method: 'GET',
  tag: 'Past calls',
  description:
    'A person is their account, otherwise the `externalUserId` of their guest links, otherwise the guest, in however many ' +
    'tabs and on however many devices they were.',
  tokens: ['user', 'client'],
  query: AttendanceQuery,
  answer: Type.Object(
    {
      people: Type.Array(PastPerson),
      items: Type.Array(PastParticipant, { description: 'The same by participant: each tab or device for itself' }),
    },
    { title: 'Attendance' },
  ),
  files: Object.values(attendanceFileTypes),
} as const

export const calls = {
  joinRoom: operation({
    method: 'POST',
    path: `${room}/join`,
    tag: 'Calls',
    summary: 'Join a call',
    description:
      'Requires a user token, or the guest token of a link to this room. Connect to `mediaUrl` with `mediaToken` using ' +
      'any LiveKit client, within one minute. A person is their account, otherwise the `externalUserId` of their link, ' +
      'otherwise the guest. In a room with a waiting room, the answer is `"state": "waiting"`, without media, until a ' +
      'moderator admits the person: ask again, with `Prefer: wait=25`. Refused with 403 `denied` if a moderator denied ' +
      'them, and `room_locked` if the room is locked.',
    tokens: ['user', 'guest'],
    scope: 'calls:write',
    waits: true,
    body: Type.Object(
      {
        tabKey: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9_-]{8,64}$',
            'x-allowed': '8 to 64 letters, digits, - and _',
            examples: ['tab-5f3c9a12'],
            description:
              'Generated by the page for its tab. Joining again with the same key replaces the previous connection',
          }),
        ),
        presence: Type.Optional(
          Type.Unsafe<'ask' | 'switch' | 'beside'>(
            Type.String({
              enum: ['ask', 'switch', 'beside'],
              description:
                'If the person is already in the call in another tab or on another device: `ask` returns 409 ' +
                '`already_in_call`, unless this `tabKey` is in the call too; `switch` moves the raised hand and the floor ' +
                'here and disconnects the others once this one is connected; `beside` joins in addition',
              default: 'beside',
              examples: ['ask'],
            }),
          ),
        ),
      },
      closed,
    ),
    answer: Joined,
    errors: [...joinErrors, 'call_ended', 'already_in_call'],
  }),
  getLiveCall: operation({
    method: 'GET',
    path: `${room}/call`,
    tag: 'Calls',
    summary: 'Retrieve the live call',
    description:
      'Includes all participants of a call of up to 100. Of a larger call it includes you, moderators, viewers who have ' +
      'the floor and the first raised hands, at most 50 of each; moderators can list everyone with ' +
      '`listCallParticipants`. Returns 404 `no_call` if no one is in the room. When the call changes, participants ' +
      'receive a data message with the topic `call` and `{"type":"changed"}` over the media connection.',
    tokens: ['user', 'client', 'guest'],
    scope: 'calls:read',
    answer: Type.Object(
      {
        id: Id('Call'),
        startedAt: Time('When the first participant joined'),
        participantCount: Type.Integer({ description: 'How many are in the call' }),
        participants: Type.Array(Participant),
        spotlight: Nullable(Spotlight),
        record: Nullable(LiveRecord),
        stream: Nullable(LiveStream),
      },
      { title: 'LiveCall' },
    ),
    errors: [...joinErrors, 'no_call'],
  }),
  listCallParticipants: operation({
    method: 'GET',
    path: `${room}/call/participants`,
    tag: 'Calls',
    summary: 'List the participants of the live call',
    description: 'In the order they joined. Returns 404 `no_call` if no one is in the room.',
    tokens: ['user', 'client', 'guest'],
    scope: 'calls:read',
    query: Type.Object(
      {
        q: Type.Optional(Text(100, { description: 'Only those whose name contains this, in upper or lower case' })),
        ...Paging,
      },
      closed,
    ),
    answer: Page(Participant),
    errors: ['no_call'],
  }),
  setHand: operation({
    ...moderation,
    method: 'PUT',
    path: `${room}/call/hand`,
    scope: 'calls:write',
    summary: 'Raise or lower your hand',
    description:
      'The hand is lowered automatically when you are given the floor and when the call ends. Raising it returns 403 ' +
      '`hands_off` if the room doesn’t allow it.',
    body: Type.Object({ raised: Type.Boolean({ examples: [true] }) }, closed),
    errors: [...joinErrors, 'no_call', 'hands_off'],
  }),
  endCall: operation({
    ...moderation,
    method: 'POST',
    path: `${room}/call/end`,
    scope: 'calls:write',
    summary: 'End the call for all',
    description:
      'Only moderators can rejoin during the next minute. Once a moderator has joined, so can everyone else.',
    body: Empty,
    errors: ['no_call'],
    audit: ['call.ended'],
  }),
  muteAll: operation({
    ...moderation,
    method: 'POST',
    path: `${room}/call/mute`,
    scope: 'calls:write',
    summary: 'Mute everyone except moderators',
    description: 'Participants can unmute themselves.',
    body: Type.Object({ source: Source }, closed),
    errors: ['no_call'],
  }),
  muteParticipant: operation({
    ...moderation,
    method: 'POST',
    path: `${room}/call/participants/:participantId/mute`,
    scope: 'calls:write',
    summary: 'Mute a participant',
    body: Type.Object({ source: Source }, closed),
    errors: ['no_call'],
  }),
  removeParticipant: operation({
    ...moderation,
    method: 'POST',
    path: `${room}/call/participants/:participantId/remove`,
    scope: 'calls:write',
    summary: 'Remove and ban a participant',
    description:
      'Bans from the room the account, every guest link with the same `externalUserId`, the guest link if it names a person, or ' +
      'otherwise this guest.',
    body: Empty,
    audit: ['ban.created'],
  }),
  getParticipantLink: operation({
    method: 'GET',
    path: `${room}/call/participants/:participantId/link`,
    tag: 'Calls',
    summary: 'Retrieve the guest link a participant joined with',
    description: 'Requires a moderator. Also of someone who has left.',
    tokens: ['user', 'client', 'guest'],
    scope: 'calls:read',
    answer: Type.Object({
      linkId: Nullable(Id('Link; null if they joined with an account')),
      isForMany: Type.Boolean({
        description:
          'true: the link can be used many times and names no one, so that someone who was removed could return under ' +
          'another name',
      }),
    }),
  }),
  setFloor: operation({
    ...moderation,
    method: 'PUT',
    path: `${room}/call/participants/:participantId/floor`,
    scope: 'calls:write',
    summary: 'Give or take away the floor',
    description:
      'Lets a webinar viewer speak until the floor is taken away or the call ends. Giving it requires `isFloorAllowed`.',
    body: Type.Object({ onAir: Type.Boolean({ examples: [true] }) }, closed),
    errors: ['no_call'],
  }),
  listCalls: operation({
    method: 'GET',
    path: `${room}/calls`,
    tag: 'Past calls',
    summary: 'List the calls of a room',
    tokens: ['user', 'client'],
    scope: 'calls:read',
    query: Type.Object({ state: CallState, ...started, ...SortedPaging }, closed),
    answer: Page(Call),
  }),
  getRoomCall: operation({
    method: 'GET',
    path: `${room}/calls/:callId`,
    tag: 'Past calls',
    summary: 'Retrieve a call',
    tokens: ['user', 'client'],
    scope: 'calls:read',
    answer: Call,
  }),
  getAttendance: operation({
    ...attendance,
    path: `${room}/calls/:callId/attendance`,
    scope: 'calls:read',
    summary: 'Retrieve attendance',
  }),
  listSpaceCalls: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/calls',
    tag: 'Past calls',
    summary: 'List the calls of a space',
    description: 'Newest first, or by room name with `q`. Includes calls of deleted rooms.',
    tokens: ['user', 'client'],
    scope: 'calls:read',
    query: Type.Object({ state: CallState, ...started, ...Search('room name') }, closed),
    answer: Page(Call),
  }),
  getSpaceCall: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/calls/:callId',
    tag: 'Past calls',
    summary: 'Retrieve a call of a space',
    tokens: ['user', 'client'],
    scope: 'calls:read',
    answer: Call,
  }),
  getSpaceAttendance: operation({
    ...attendance,
    path: '/v1/spaces/:spaceId/calls/:callId/attendance',
    scope: 'calls:read',
    summary: 'Retrieve attendance of a call of a space',
  }),
}
