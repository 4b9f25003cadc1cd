import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { RecordStorage } from './storage.ts'

/** So that the file is there after a power failure too, under its name. */
const flush = async (path: string) => {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Others find all of it or nothing. */
const move = async (from: string, to: string) => {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    // It is on another disk.
    await copyFile(from, `${to}.copying`)
    await rename(`${to}.copying`, to)
    await rm(from)
  }
}

/** Files in a folder. Several nodes have to share it. */
export const folderStorage = (folder: string): RecordStorage => {
  const pathOf = (place: string) => join(folder, basename(place))
  const placeOf: RecordStorage['placeOf'] = (id, type) => `${id}.${type}`
  return {
    placeOf,
    async keep(id, file, type) {
      // What was recorded is nobody else's on this machine.
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const place = placeOf(id, type)
      await flush(file)
      await move(file, pathOf(place))
      await flush(folder)
      return place
    },
    link: async () => null,
    async open(place) {
      const path = pathOf(place)
      const found = await stat(path).catch(() => null)
      return found && { size: found.size, read: (start, end) => createReadStream(path, { start, end }) }
    },
    remove: place => rm(pathOf(place), { force: true }),
  }
}
