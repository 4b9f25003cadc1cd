import Type, { type Static } from 'typebox'
import { closed, Empty, Id, Nullable, OpenEnum, Time } from './common.ts'
import { operation } from './operation.ts'
import { joinErrors } from './refusals.ts'

const targetStates = ['connecting', 'live', 'retrying', 'failed'] as const
export type StreamTargetState = (typeof targetStates)[number]

/** What everyone in the call sees of it. The address has a key in it, and is not shown again. */
export const LiveStream = Type.Object(
  {
    id: Id('Live stream'),
    state: OpenEnum(['starting', 'live'], {
      description: 'starting: it can’t be watched yet. live: it can',
      examples: ['live'],
    }),
    startedAt: Nullable(Time('When it went live; null if it has not')),
    viewerCount: Type.Integer({ description: 'How many watch the live page; they are not participants' }),
    target: Nullable(
      Type.Object(
        {
          host: Type.String({ description: 'Host of the RTMP address', examples: ['live.example.com'] }),
          state: OpenEnum(targetStates, {
            description:
              'connecting: not connected yet. live: receives the stream. retrying: the connection was lost and is being ' +
              'restored. failed: given up; the live page goes on',
          }),
        },
        { title: 'StreamTarget' },
      ),
      'null: the stream goes to the live page only',
    ),
  },
  { title: 'LiveStream' },
)
export type LiveStream = Static<typeof LiveStream>

/** What people are told before they join. */
export const IsStreamed = Type.Boolean({ description: 'Whether the call is being streamed live' })

const room = '/v1/spaces/:spaceId/rooms/:roomId'
const tag = 'Live streams'

export const streams = {
  startStream: operation({
    method: 'POST',
    path: `${room}/call/stream/start`,
    tag,
    summary: 'Start streaming the live call',
    description:
      'Requires a moderator. Streams the call to the page `/room/{alias}/live`, where everyone who can join can watch it ' +
      'without joining, and to `url`, if given. Everyone in the call sees that it is streamed. The stream ends when it is ' +
      'stopped and when the call ends. Returns 404 `no_call` without a call, 409 `already_streaming`, 503 `recorder_busy` ' +
      'if no recorder is free, and 503 `recorder_off` if recording is not set up.',
    tokens: ['user', 'guest'],
    scope: 'calls:write',
    body: Type.Object(
      {
        url: Type.Optional(
          Type.String({
            format: 'rtmp-url',
            maxLength: 900,
            pattern: '^[Rr][Tt][Mm][Pp][Ss]?://[^\\s/?#@]+/\\S+$',
            'x-allowed': 'rtmp:// or rtmps://, a host, and a path of an application and a stream key',
            description:
              'RTMP or RTMPS address to stream to as well: the server address and the stream key, joined by a slash. It ' +
              'is not shown again',
            examples: ['rtmps://live.example.com/app/stream-key'],
          }),
        ),
      },
      closed,
    ),
    answer: LiveStream,
    errors: ['no_call', 'already_streaming', 'address_not_allowed'],
    audit: ['stream.started'],
  }),
  stopStream: operation({
    method: 'POST',
    path: `${room}/call/stream/stop`,
    tag,
    summary: 'Stop streaming the live call',
    description: 'Requires a moderator. Returns 409 `not_streaming` if the call is not being streamed.',
    tokens: ['user', 'guest'],
    scope: 'calls:write',
    body: Empty,
    answer: Empty,
    errors: ['not_streaming'],
    audit: ['stream.stopped'],
  }),
  watchStream: operation({
    method: 'GET',
    path: `${room}/call/stream/watch`,
    tag,
    summary: 'Watch the live stream',
    description:
      'For everyone who can join the room. `playlistUrl` is an HLS playlist for any player. It works without a token, for ' +
      'this person, as long as they can join. Returns 404 `no_stream` unless the stream is live.',
    tokens: ['user', 'guest'],
    scope: 'calls:read',
    answer: Type.Object(
      {
        id: Id('Live stream'),
        startedAt: Time('When it went live'),
        playlistUrl: Type.String({
          description:
            'HLS playlist (H.264, AAC). When the stream ends, so does the list; half a minute later it answers 410 `stream_ended`',
        }),
        expiresAt: Time('When the link expires. Ask for another before'),
      },
      { title: 'WatchedStream' },
    ),
    errors: [...joinErrors, 'no_stream'],
  }),
}
