import type { Readable } from 'node:stream'

/** Places in a bucket begin with this, which tells them from those in the folder. */
export const S3_PLACE = 's3:'

export interface StoredFile {
  size: number
  /** Both ends included. */
  read: (start: number, end: number) => Readable
}

/** What is kept of a recording is its MP4 and its picture; of a live stream, its segments. */
export type StoredType = 'mp4' | 'jpg' | 'ts'

/** Where the files of recordings are kept: a folder (`folder.ts`) or a bucket (`s3.ts`). */
export interface RecordStorage {
  /**
   * Takes a file over. Gives the place it is known by, which goes into the recording's row. When it throws the file is
   * still there, and what of it has been stored need not be stored again.
   */
  keep: (id: string, file: string, type: StoredType, signal: AbortSignal) => Promise<string>
  /** The place that `keep` gives. */
  placeOf: (id: string, type: StoredType) => string
  /** A link to the file elsewhere, for as long; null: it is read through us. */
  link: (place: string, fileName: string, seconds: number) => Promise<string | null>
  /** null: it is not there. */
  open: (place: string) => Promise<StoredFile | null>
  /** What is gone already needs no removing. */
  remove: (place: string) => Promise<void>
}
