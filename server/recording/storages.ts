import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import { folderStorage } from './folder.ts'
import { type RecordStorage, S3_PLACE } from './storage.ts'

/** The bucket of the settings; its library is loaded only where there is one. */
export const bucketOf = async (config: Config, log: Pick<FastifyBaseLogger, 'debug'>) => {
  const { s3Bucket } = config
  if (s3Bucket === null) return null
  const { s3Storage } = await import('./s3.ts')
  return s3Storage(
    { ...config, s3Bucket },
    {
      onProgress: (place, done, total) =>
        log.debug({ place, percent: Math.floor((100 * done) / total) }, 'a recording is being uploaded'),
    },
  )
}

/** New files go to the bucket, if there is one. Those that were kept in the folder before are found there. */
export const createStorage = (folder: string, bucket: RecordStorage | null): RecordStorage => {
  const inFolder = folderStorage(folder)
  const storageOf = (place: string) => (place.startsWith(S3_PLACE) ? bucket : inFolder)
  return {
    keep: (bucket ?? inFolder).keep,
    placeOf: (bucket ?? inFolder).placeOf,
    link: async (place, fileName, seconds) => (await storageOf(place)?.link(place, fileName, seconds)) ?? null,
    open: async place => (await storageOf(place)?.open(place)) ?? null,
    async remove(place) {
      const storage = storageOf(place)
      // It would be forgotten there.
      if (!storage) throw new Error('a deleted recording is in an S3 bucket: set LECTERN_S3_BUCKET to remove it')
      await storage.remove(place)
    },
  }
}
