import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Record } from '../../contract/records.ts'
import { attachment } from '../http/attachment.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem, unlessRefused } from '../http/problem.ts'
import { byteRange } from '../http/ranges.ts'
import { createSignedLinks } from '../http/signedLinks.ts'
import { quotaOf } from '../recording/quota.ts'
import { anyone, mayDeleteRecords, mayModerate, maySeeCallsOfSpace, maySeeRecords, recordRefusal } from '../rules.ts'
import { mapPage } from '../store/page.ts'
import {
  createRecord,
  deleteRecord,
  findOpenRecord,
  findRecord,
  listRecords,
  recordUsage,
  requestStop,
} from '../store/records.ts'
import type { Row } from '../store/tables.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'
import { holdCall } from './liveCall.ts'

/** Long enough to watch a lesson; whoever has lost access meanwhile gets no new one. */
const LINK_SECONDS = 3600

export const toLiveRecord = (record: Row<'records'> | undefined) =>
  record && (record.state === 'starting' || record.state === 'recording')
    ? { id: record.id, state: record.state, startedAt: isoTimeOrNull(record.startedAt), size: record.size }
    : null

const targetOf = ({ id, roomName }: Row<'records'>) => ({ type: 'record', id, name: roomName }) as const

const fileNameOf = ({ roomName, startedAt, createdAt }: Row<'records'>) =>
  `${roomName} ${isoTime(startedAt ?? createdAt)
    .slice(0, 16)
    .replace('T', ' ')
    .replace(':', '-')}`

const FILE_PATH = '/v1/records/:recordId/file'
const PICTURE_PATH = '/v1/records/:recordId/picture'
type FilePath = typeof FILE_PATH | typeof PICTURE_PATH
const HOUR_MS = 60 * 60 * 1000

export const recordRoutes = (
  app: FastifyInstance,
  serve: Serve,
  { config, db, keys, now, publicOrigin, recordings, storage }: Context,
) => {
  const quota = quotaOf(config)

  const { queryFor, isSigned } = createSignedLinks(keys, now)
  const linkOf = (path: FilePath, recordId: string) => `${path} of recording ${recordId}`
  const signedUrl = (path: FilePath, recordId: string, expires: number) =>
    `${publicOrigin()}${path.replace(':recordId', recordId)}?${queryFor(linkOf(path, recordId), expires)}`
  /** The same for an hour, so that browsers keep the picture. */
  const pictureExpires = () => (Math.floor(now() / HOUR_MS) + 2) * HOUR_MS

  const toRecord = (record: Row<'records'>): Record => ({
    id: record.id,
    roomId: record.roomId,
    callId: record.callId,
    state: record.state,
    reason: record.reason,
    createdAt: isoTime(record.createdAt),
    startedAt: isoTimeOrNull(record.startedAt),
    endedAt: isoTimeOrNull(record.endedAt),
    durationSeconds: record.durationMs === null ? null : Math.round(record.durationMs / 1000),
    size: record.size,
    isDownloadable: record.place !== null,
    pictureUrl: record.picture === null ? null : signedUrl(PICTURE_PATH, record.id, pictureExpires()),
  })

  const requireRecord = async (roomId: string | null, id: string) => {
    const record = await findRecord(db, roomId, id)
    if (!record) throw notFound('recording')
    return record
  }

  serve('startRecord', mayModerate, async ({ commit }) => {
    const created = await commit(async (trx, at) => {
      const refusal = recordRefusal(at)
      if (refusal) throw new Problem(refusal, 'Recording is turned off in the settings of this room.')
      const call = await holdCall(trx, at.room.id)
      if (quota !== null && (await recordUsage(trx, at.space.id)).size >= quota)
        throw new Problem('record_quota', 'This space has used up its storage for recordings. Delete some first.')
      const record = unlessRefused(await createRecord(trx, call, now()), {
        already_recording: () => new Problem('already_recording'),
      })
      await recordings.change(trx, at.room.channelId)
      return record
    })
    await recordings.taken(created)
    return commit(async (_trx, at, audit) => {
      await audit({
        action: 'record.started',
        target: targetOf(created),
        details: { roomId: at.room.id, roomName: at.room.name },
      })
      return toRecord(created)
    })
  })

  serve('stopRecord', mayModerate, ({ commit }) =>
    commit(async (trx, at, audit) => {
      const record = await requestStop(trx, at.room.id, now())
      if (!record) {
        const stopping = await findOpenRecord(trx, at.room.id)
        if (!stopping) throw new Problem('not_recording')
        return toRecord(stopping)
      }
      await recordings.change(trx, at.room.channelId)
      await audit({
        action: 'record.stopped',
        target: targetOf(record),
        details: { roomId: at.room.id, roomName: at.room.name },
      })
      return toRecord(record)
    }),
  )

  serve('listRecords', maySeeRecords, async ({ at, query }) =>
    mapPage(await listRecords(db, at.room.id, query), toRecord),
  )

  serve('getRecord', maySeeRecords, async ({ at, params }) =>
    toRecord(await requireRecord(at.room.id, params.recordId)),
  )

  serve('deleteRecord', mayDeleteRecords, ({ params, commit }) =>
    commit(async (trx, at, audit) => {
      const record = await findRecord(trx, at.room.id, params.recordId)
      if (!record) throw notFound('recording')
      await deleteRecord(trx, record.id, now())
      await recordings.change(trx, at.room.channelId)
      await audit({
        action: 'record.deleted',
        target: targetOf(record),
        details: { roomId: at.room.id, roomName: at.room.name },
      })
      return {}
    }),
  )

  serve('getRecordUsage', maySeeCallsOfSpace, async ({ at }) => ({ ...(await recordUsage(db, at.space.id)), quota }))

  serve('downloadRecord', maySeeRecords, async ({ at, params }) => {
    const record = await requireRecord(at.room.id, params.recordId)
    if (record.place === null)
      throw new Problem('record_not_ready', 'There is no file yet. Wait until the state is `ready`.')
    const expires = now() + LINK_SECONDS * 1000
    const elsewhere = await storage.link(record.place, fileNameOf(record), LINK_SECONDS)
    return { url: elsewhere ?? signedUrl(FILE_PATH, record.id, expires), expiresAt: isoTime(expires) }
  })

  const requireSigned = (path: FilePath, { params, query }: FastifyRequest) => {
    const { recordId } = params as { recordId: string }
    // Nobody learns which recordings there are.
    if (!isSigned(linkOf(path, recordId), query as object)) throw notFound('recording')
    return requireRecord(null, recordId)
  }

  const sendFile = async (request: FastifyRequest, reply: FastifyReply) => {
    const record = await requireSigned(FILE_PATH, request)
    const file = record.place === null ? null : await storage.open(record.place)
    if (!file) throw new Problem('unavailable', 'The file of this recording is not on this node.')
    const tag = `"${record.id}-${file.size}"`
    const { range, 'if-range': ifRange } = request.headers
    const asked = byteRange(ifRange === undefined || ifRange === tag ? range : undefined, file.size)
    reply
      .header('accept-ranges', 'bytes')
      .header('etag', tag)
      .header('cache-control', 'private, no-cache')
      .header('content-disposition', attachment(fileNameOf(record), 'mp4'))
    if (asked === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${file.size}`).send()
    const { start, end } = asked ?? { start: 0, end: file.size - 1 }
    if (asked) reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`)
    // The framework would read all of it, and send nothing.
    const content = request.method === 'HEAD' ? Readable.from([]) : file.read(start, end)
    return reply
      .type('video/mp4')
      .header('content-length', end - start + 1)
      .send(content)
  }

  const sendPicture = async (request: FastifyRequest, reply: FastifyReply) => {
    const { picture } = await requireSigned(PICTURE_PATH, request)
    const file = picture === null ? null : await storage.open(picture)
    if (!file) throw notFound('picture')
    return reply
      .type('image/jpeg')
      .header('cache-control', 'private, max-age=3600')
      .header('content-length', file.size)
      .send(file.read(0, file.size - 1))
  }

  app.get(FILE_PATH, { config: { rule: anyone } }, sendFile)
  app.get(PICTURE_PATH, { config: { rule: anyone } }, sendPicture)
}
