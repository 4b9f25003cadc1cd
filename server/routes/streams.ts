import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LiveStream } from '../../contract/streams.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { fieldError, invalid, notFound, Problem, unlessRefused } from '../http/problem.ts'
import { createSignedLinks } from '../http/signedLinks.ts'
import { anyone, mayJoin, mayModerate } from '../rules.ts'
import { createStream, findOpenStream, type Segment, segmentsOf, stopStream } from '../store/streams.ts'
import type { Row } from '../store/tables.ts'
import { PLAYLIST_TYPE, playlistOf, SEGMENT_TYPE } from '../streaming/playlist.ts'
import { isForbiddenTarget, rtmpTargetOf } from '../streaming/rtmp.ts'
import { createSegments } from '../streaming/segments.ts'
import { sealedFor } from '../streaming/streams.ts'
import type { Viewers } from '../streaming/viewers.ts'
import { createWatching, viewerOf } from '../streaming/watching.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'
import { holdCall } from './liveCall.ts'

/** As long as the longest webinar. Whether somebody may still watch is asked all the time. */
const PLAYLIST_LINK_MS = 12 * 3600_000
/** Of a segment, from when it is first listed. The same for all, so that a cache in between keeps it once. */
const SEGMENT_LINK_MS = 60_000

const PLAYLIST_PATH = '/v1/streams/:streamId/playlist.m3u8'
const SEGMENT_PATH = '/v1/streams/:streamId/segments/:segment'

export const toLiveStream = async (
  stream: Row<'streams'> | undefined,
  viewers: Pick<Viewers, 'count'>,
): Promise<LiveStream | null> =>
  stream
    ? {
        id: stream.id,
        state: stream.startedAt === null ? 'starting' : 'live',
        startedAt: isoTimeOrNull(stream.startedAt),
        viewerCount: await viewers.count(stream.id),
        target:
          stream.targetHost === null ? null : { host: stream.targetHost, state: stream.targetState ?? 'connecting' },
      }
    : null

const targetOf = ({ id, roomName }: Row<'streams'>) => ({ type: 'stream', id, name: roomName }) as const

export const streamRoutes = (
  app: FastifyInstance,
  serve: Serve,
  { config, db, keys, now, publicOrigin, storage, streams, viewers }: Context,
) => {
  const watching = createWatching(db, now)
  const readSegment = createSegments(storage)

  /** The host, and how the address is kept. */
  const rtmpOf = (url: string | undefined) => {
    if (url === undefined) return null
    const target = rtmpTargetOf(url)
    if (!target) throw invalid('/url', 'pattern')
    if (!config.allowPrivateWebhooks && isForbiddenTarget(url))
      throw new Problem('address_not_allowed', 'The RTMP address must be a public one.', {
        errors: [fieldError('/url', 'address_not_allowed')],
      })
    return { host: target.host, seal: (id: string) => keys.seal(url, sealedFor(id)) }
  }

  serve('startStream', mayModerate, async ({ body, commit }) => {
    const target = rtmpOf(body.url)
    const created = await commit(async (trx, at) => {
      const call = await holdCall(trx, at.room.id)
      const stream = unlessRefused(await createStream(trx, call, target, now()), {
        already_streaming: () => new Problem('already_streaming'),
      })
      await streams.change(trx, at.room.channelId)
      return stream
    })
    await streams.taken(created)
    await commit(async (_trx, at, audit) => {
      await audit({
        action: 'stream.started',
        target: targetOf(created),
        details: { roomId: at.room.id, roomName: at.room.name, ...(target && { host: target.host }) },
      })
    })
    return (await toLiveStream(created, viewers)) as LiveStream
  })

  serve('stopStream', mayModerate, ({ commit }) =>
    commit(async (trx, at, audit) => {
      const stream = await stopStream(trx, at.room.id, now())
      if (!stream) throw new Problem('not_streaming')
      await streams.change(trx, at.room.channelId)
      await audit({
        action: 'stream.stopped',
        target: targetOf(stream),
        details: { roomId: at.room.id, roomName: at.room.name },
      })
      return {}
    }),
  )

  const { queryFor, isSigned } = createSignedLinks(keys, now)
  const watchOf = (streamId: string, viewer: string) => `playlist of the stream ${streamId} for ${viewer}`
  const segmentOf = (streamId: string, sequence: number) => `segment ${sequence} of the stream ${streamId}`

  serve('watchStream', mayJoin, async ({ at }) => {
    const stream = await findOpenStream(db, at.room.id)
    if (!stream || stream.startedAt === null) throw new Problem('no_stream', 'This call is not being streamed.')
    const [viewer, expires] = [viewerOf(at), now() + PLAYLIST_LINK_MS]
    const path = PLAYLIST_PATH.replace(':streamId', stream.id)
    return {
      id: stream.id,
      startedAt: isoTime(stream.startedAt),
      playlistUrl: `${publicOrigin()}${path}?viewer=${viewer}&${queryFor(watchOf(stream.id, viewer), expires)}`,
      expiresAt: isoTime(expires),
    }
  })

  const segmentPath = (streamId: string, { sequence, addedAt }: Segment) => {
    const expires = addedAt + SEGMENT_LINK_MS
    const path = SEGMENT_PATH.replace(':streamId', streamId).replace(':segment', `${sequence}.ts`)
    return `${path}?${queryFor(segmentOf(streamId, sequence), expires)}`
  }

  /** Of what was read at the same time, for all who watch. */
  const playlists = new WeakMap<Row<'streams'>, string>()
  const playlistFor = (stream: Row<'streams'>) => {
    const text = playlists.get(stream) ?? playlistOf(stream, segment => segmentPath(stream.id, segment))
    playlists.set(stream, text)
    return text
  }

  const sendPlaylist = async ({ params, query }: FastifyRequest, reply: FastifyReply) => {
    const { streamId } = params as { streamId: string }
    const { viewer } = query as { viewer?: unknown }
    // Nobody learns which streams there are.
    if (typeof viewer !== 'string' || !isSigned(watchOf(streamId, viewer), query as object)) throw notFound('stream')
    const stream = await watching.findStream(streamId)
    if (!stream) throw new Problem('stream_ended')
    await watching.requireViewer(viewer, stream)
    viewers.saw(streamId, viewer)
    return reply.type(PLAYLIST_TYPE).send(playlistFor(stream))
  }

  /** Another node may have listed what this one has not read yet. */
  const placeOf = async (streamId: string, sequence: number) => {
    const isIt = (segment: Segment) => segment.sequence === sequence
    const placeIn = (stream: Row<'streams'> | undefined) => stream && segmentsOf(stream).find(isIt)?.place
    return placeIn(await watching.findStream(streamId)) ?? placeIn(await watching.readStream(streamId))
  }

  const sendSegment = async ({ params, query }: FastifyRequest, reply: FastifyReply) => {
    const { streamId, segment } = params as { streamId: string; segment: string }
    const sequence = Number(/^(\d{1,9})\.ts$/.exec(segment)?.[1] ?? Number.NaN)
    if (!isSigned(segmentOf(streamId, sequence), query as object)) throw notFound('segment')
    const expires = Number((query as { expires: string }).expires)
    const place = await placeOf(streamId, sequence)
    const bytes = place === undefined ? null : await readSegment(place)
    if (!bytes) throw notFound('segment')
    return reply
      .type(SEGMENT_TYPE)
      .header('cache-control', `public, max-age=${Math.floor((expires - now()) / 1000)}, immutable`)
      .send(bytes)
  }

  app.get(PLAYLIST_PATH, { config: { rule: anyone } }, sendPlaylist)
  app.get(SEGMENT_PATH, { config: { rule: anyone } }, sendSegment)
}
