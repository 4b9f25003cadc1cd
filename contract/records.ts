import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Nullable, OpenEnum, Page, Paging, Time } from './common.ts'
import { operation } from './operation.ts'

export const RecordState = OpenEnum(['starting', 'recording', 'processing', 'ready', 'aborted', 'failed'], {
  description:
    'starting: the recorder is being started. recording: it goes on. processing: it has ended and the file is being made. ' +
    'ready: the file can be downloaded. aborted: it was cut short; what was recorded until then can be downloaded, if ' +
    'there is any. failed: it could not be recorded, or not to the end',
  examples: ['ready'],
})
export type RecordState = Static<typeof RecordState>

const reasons = {
  stopped_early: 'it was stopped before anything was recorded',
  recorder_lost: 'the recorder, or the node it ran on, stopped unexpectedly',
  recorder_failing: 'so did several before it in this call, which is not recorded from its start any longer',
  not_started: 'the recorder could not be started; the log of the server says why',
  recorder_busy: 'no recorder was free',
  recorder_off: 'recording is not set up on the server',
  disk_full: 'the disk is full',
  quota_reached: 'the space has used up its storage for recordings',
  processing_failed: 'the file could not be made',
} as const
export type RecordReason = keyof typeof reasons

const RecordReason = OpenEnum(Object.keys(reasons) as RecordReason[], {
  description: `Why it ended before it was stopped. ${Object.entries(reasons)
    .map(([reason, text]) => `${reason}: ${text}`)
    .join('. ')}`,
})

const Record = Type.Object(
  {
    id: Id('Recording'),
    roomId: Id('Room'),
    callId: Id('Call that was recorded'),
    state: RecordState,
    reason: Nullable(RecordReason),
    createdAt: Time('When it was requested'),
    startedAt: Nullable(Time('When recording began; null if it has not')),
    endedAt: Nullable(Time('When recording ended; null while it goes on')),
    durationSeconds: Nullable(Type.Integer({ description: 'Length of the file; null until there is one' })),
    size: Type.Integer({ description: 'Bytes recorded so far, then bytes of the file' }),
    isDownloadable: Type.Boolean({ description: 'Whether there is a file to download' }),
    pictureUrl: Nullable(
      Type.String({ description: 'A picture from it (JPEG). The link works without a token for at least an hour' }),
    ),
  },
  { title: 'Recording' },
)
export type Record = Static<typeof Record>

/** What everyone in the call sees of it. */
export const LiveRecord = Type.Object(
  {
    id: Id('Recording'),
    state: OpenEnum(['starting', 'recording'], {
      description: 'starting: the recorder is being started. recording: it goes on',
      examples: ['recording'],
    }),
    startedAt: Nullable(Time('When recording began; null if it has not')),
    size: Type.Integer({ description: 'Bytes recorded so far' }),
  },
  { title: 'LiveRecording' },
)

/** What people are told before they join. */
export const RecordNotice = OpenEnum(['now', 'from_start'], {
  description: 'now: the call is being recorded. from_start: calls in this room are recorded from their start',
})
export type RecordNotice = Static<typeof RecordNotice>

const room = '/v1/spaces/:spaceId/rooms/:roomId'
const tag = 'Recordings'

export const records = {
  startRecord: operation({
    method: 'POST',
    path: `${room}/call/record/start`,
    tag,
    summary: 'Start recording the live call',
    description:
      'Requires a moderator. Everyone in the call sees that it is recorded. The recording ends when it is stopped and when ' +
      'the call ends. Returns 403 `recording_off` if the room doesn’t allow it, 404 `no_call` without a call, 409 ' +
      '`already_recording`, 409 `record_quota` if the space has used up its storage, 503 `recorder_busy` if no recorder is ' +
      'free, and 503 `recorder_off` if recording is not set up.',
    tokens: ['user', 'guest'],
    scope: 'calls:write',
    body: Empty,
    answer: Record,
    errors: ['recording_off', 'no_call', 'already_recording', 'record_quota'],
    audit: ['record.started'],
  }),
  stopRecord: operation({
    method: 'POST',
    path: `${room}/call/record/stop`,
    tag,
    summary: 'Stop recording the live call',
    description:
      'Requires a moderator. The file can be downloaded once the state is `ready`. Returns 409 `not_recording` if the call ' +
      'is not being recorded.',
    tokens: ['user', 'guest'],
    scope: 'calls:write',
    body: Empty,
    answer: Record,
    errors: ['no_call', 'not_recording'],
    audit: ['record.stopped'],
  }),
  listRecords: operation({
    method: 'GET',
    path: `${room}/records`,
    tag,
    summary: 'List the recordings of a room',
    description: 'Newest first. Requires someone who can see past calls.',
    tokens: ['user', 'client'],
    scope: 'calls:read',
    query: Type.Object({ ...Paging, callId: Type.Optional(Id('Only recordings of this call')) }, closed),
    answer: Page(Record),
  }),
  getRecord: operation({
    method: 'GET',
    path: `${room}/records/:recordId`,
    tag,
    summary: 'Retrieve a recording',
    tokens: ['user', 'client'],
    scope: 'calls:read',
    answer: Record,
  }),
  downloadRecord: operation({
    method: 'GET',
    path: `${room}/records/:recordId/download`,
    tag,
    summary: 'Get a link to the file of a recording',
    description:
      'An MP4 file (H.264, AAC). The link works without a token until it expires, and supports range requests. Returns 409 ' +
      '`record_not_ready` while there is no file.',
    tokens: ['user', 'client'],
    scope: 'calls:read',
    answer: Type.Object(
      {
        url: Type.String({ description: 'Where to download the file' }),
        expiresAt: Time('When the link expires'),
      },
      { title: 'RecordingFile' },
    ),
    errors: ['record_not_ready'],
  }),
  deleteRecord: operation({
    method: 'DELETE',
    path: `${room}/records/:recordId`,
    tag,
    summary: 'Delete a recording',
    description: 'Requires someone who can delete the room. A recording that goes on is stopped. This can’t be undone.',
    tokens: ['user'],
    scope: 'calls:write',
    answer: Empty,
    audit: ['record.deleted'],
  }),
  getRecordUsage: operation({
    method: 'GET',
    path: '/v1/spaces/:spaceId/records/usage',
    tag,
    summary: 'Retrieve the storage used by recordings of a space',
    tokens: ['user', 'client'],
    scope: 'calls:read',
    answer: Type.Object(
      {
        count: Type.Integer({ description: 'How many recordings there are' }),
        size: Type.Integer({ description: 'Bytes of their files' }),
        quota: Nullable(Type.Integer({ description: 'Bytes they may take; null: no limit' })),
      },
      { title: 'RecordingUsage' },
    ),
  }),
}
