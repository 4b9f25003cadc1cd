import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type Part,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { Config } from '../config.ts'
import { type RecordStorage, S3_PLACE } from './storage.ts'

export type S3Config = Pick<Config, 's3Endpoint' | 's3Region' | 's3Prefix' | 's3AccessKey' | 's3SecretKey'> & {
  s3Bucket: string
}

const types = { mp4: 'video/mp4', jpg: 'image/jpeg', ts: 'video/mp2t' }
const PART_BYTES = 16 * 2 ** 20
/** More than that S3 does not take. */
const MOST_PARTS = 10_000

const isMissing = (error: unknown) => error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404

const clientOf = ({ s3Endpoint, s3Region, s3AccessKey, s3SecretKey }: S3Config) =>
  new S3Client({
    region: s3Region,
    // Storage of one's own seldom has a host name for every bucket.
    ...(s3Endpoint && { endpoint: s3Endpoint, forcePathStyle: true }),
    ...(s3AccessKey && s3SecretKey && { credentials: { accessKeyId: s3AccessKey, secretAccessKey: s3SecretKey } }),
    // The newer checksums are not known everywhere. MD5 is, and is sent with every part.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5000, socketTimeout: 60_000 },
  })

const readAt = async (file: FileHandle, buffer: Buffer, position: number) => {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

interface S3Options {
  partBytes?: number
  /** Called with every part that is there. */
  onProgress?: (place: string, doneBytes: number, totalBytes: number) => void
}

/**
 * Files in a bucket. What of a file is there already is found in the bucket itself and not sent again, also by another
 * process. Downloads go through us, so that the bucket may be one that browsers do not reach.
 */
export const s3Storage = (
  config: S3Config,
  { partBytes = PART_BYTES, onProgress = () => {} }: S3Options = {},
): RecordStorage & { check: () => Promise<void> } => {
  const client = clientOf(config)
  const Bucket = config.s3Bucket
  const at = (Key: string) => ({ Bucket, Key })
  const keyOf = (place: string) => `${config.s3Prefix ?? ''}${place.slice(S3_PLACE.length)}`
  const where = (place: string) => at(keyOf(place))

  /** Those that were begun, the newest first. */
  const listUploads = async (Key: string) => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }))
    const own = Uploads.filter(upload => upload.Key === Key && upload.UploadId)
    return own.sort((a, b) => (b.Initiated?.getTime() ?? 0) - (a.Initiated?.getTime() ?? 0))
  }

  const giveUp = async (Key: string, uploads: { UploadId?: string | undefined }[]) => {
    for (const { UploadId } of uploads) await client.send(new AbortMultipartUploadCommand({ ...at(Key), UploadId }))
  }

  /** One that was begun; all but the newest are given up. */
  const findUpload = async (Key: string) => {
    const [newest, ...others] = await listUploads(Key)
    await giveUp(Key, others)
    return newest?.UploadId
  }

  const listParts = async (Key: string, UploadId: string) => {
    const parts = new Map<number, Part>()
    for (let marker: string | undefined; ; ) {
      const page = await client.send(new ListPartsCommand({ ...at(Key), UploadId, PartNumberMarker: marker }))
      for (const part of page.Parts ?? []) if (part.PartNumber) parts.set(part.PartNumber, part)
      if (!page.IsTruncated) return parts
      marker = page.NextPartNumberMarker
    }
  }

  const uploadInParts = async (
    place: string,
    file: FileHandle,
    size: number,
    ContentType: string,
    abortSignal: AbortSignal,
  ) => {
    const Key = keyOf(place)
    const begun = await findUpload(Key)
    const UploadId =
      begun ?? (await client.send(new CreateMultipartUploadCommand({ ...at(Key), ContentType }))).UploadId
    if (!UploadId) throw new Error('the storage began no upload')
    const there = begun === undefined ? new Map<number, Part>() : await listParts(Key, UploadId)
    const length = Math.max(partBytes, Math.ceil(size / MOST_PARTS))
    const buffer = Buffer.allocUnsafe(Math.min(length, size))
    const Parts: { PartNumber: number; ETag: string | undefined }[] = []
    for (let position = 0; position < size; position += length) {
      abortSignal.throwIfAborted()
      const PartNumber = Parts.length + 1
      const Body = await readAt(file, buffer.subarray(0, Math.min(length, size - position)), position)
      const md5 = createHash('md5').update(Body).digest()
      const part = there.get(PartNumber)
      // The file may have been made anew since.
      const isThere = part?.Size === Body.length && part.ETag?.replaceAll('"', '') === md5.toString('hex')
      const { ETag } = isThere
        ? part
        : await client.send(
            new UploadPartCommand({ ...at(Key), UploadId, PartNumber, Body, ContentMD5: md5.toString('base64') }),
            { abortSignal },
          )
      Parts.push({ PartNumber, ETag })
      onProgress(place, Math.min(position + length, size), size)
    }
    await client.send(new CompleteMultipartUploadCommand({ ...at(Key), UploadId, MultipartUpload: { Parts } }))
  }

  const uploadWhole = async (place: string, file: FileHandle, size: number, ContentType: string) => {
    const Body = await readAt(file, Buffer.allocUnsafe(size), 0)
    const ContentMD5 = createHash('md5').update(Body).digest('base64')
    await client.send(new PutObjectCommand({ ...where(place), Body, ContentType, ContentMD5 }))
    onProgress(place, size, size)
  }

  const sizeOf = async (place: string): Promise<number | null> => {
    try {
      return (await client.send(new HeadObjectCommand(where(place)))).ContentLength ?? 0
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async function* download(place: string, start: number, end: number) {
    const { Body } = await client.send(new GetObjectCommand({ ...where(place), Range: `bytes=${start}-${end}` }))
    yield* Body as Readable
  }

  const placeOf: RecordStorage['placeOf'] = (id, type) => `${S3_PLACE}${id}.${type}`

  return {
    placeOf,
    async keep(id, path, type, signal) {
      const place = placeOf(id, type)
      const file = await open(path)
      try {
        const { size } = await file.stat()
        await (size > partBytes ? uploadInParts : uploadWhole)(place, file, size, types[type], signal)
        if ((await sizeOf(place)) !== size) throw new Error('the storage has another file than was sent')
      } finally {
        await file.close()
      }
      await rm(path, { force: true })
      return place
    },
    link: async () => null,
    async open(place) {
      const size = await sizeOf(place)
      return size === null
        ? null
        : { size, read: (start, end) => Readable.from(download(place, start, end), { objectMode: false }) }
    },
    async remove(place) {
      await client.send(new DeleteObjectCommand(where(place)))
      // Nobody sees what has been sent of a file, and yet it takes its room. Segments are sent whole.
      if (place.endsWith('.mp4')) await giveUp(keyOf(place), await listUploads(keyOf(place)))
    },
    /** Throws what is wrong with the bucket or the credentials. */
    async check() {
      const place = `${S3_PLACE}check-${randomUUID()}`
      await client.send(new PutObjectCommand({ ...where(place), Body: 'Lectern can write here.' }))
      await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: keyOf(place) }))
      await sizeOf(place)
      await client.send(new DeleteObjectCommand(where(place)))
    },
  }
}
