import type { Readable } from 'node:stream'

export interface StoredFile {
  size: number
  /** Both ends included. */
  read: (start: number, end: number) => Readable
}

/** Where the files of recordings are kept: `folderStorage` in `folder.ts`; others can stand beside it. */
export interface RecordStorage {
  /**
   * Takes a file of the recording over, its MP4 or its picture. Gives the place it is known by, which goes into the
   * recording's row.
   */
  keep: (id: string, file: string, type: 'mp4' | 'jpg') => Promise<string>
  /** A link to the file elsewhere, for as long; null: it is read through us. */
  link: (place: string, fileName: string, seconds: number) => Promise<string | null>
  /** null: it is not there. */
  open: (place: string) => Promise<StoredFile | null>
  /** What is gone already needs no removing. */
  remove: (place: string) => Promise<void>
}
