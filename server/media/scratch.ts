import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const PREFIX = 'scratch-'
const ABANDONED_AFTER_MS = 24 * 3600_000

/** What was left by a process that was killed. */
const sweep = async (cache: string) => {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(PREFIX)) continue
    const folder = join(cache, name)
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await remove(folder)
  }
}

const remove = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 3 })

/**
 * A folder inside the cache for something unfinished. What is finished is renamed out of it, in one step, so that others
 * find all of it or nothing; the folder goes.
 */
export const withScratch = async <Result>(cache: string, work: (folder: string) => Promise<Result>) => {
  await mkdir(cache, { recursive: true })
  await sweep(cache)
  const folder = await mkdtemp(join(cache, PREFIX))
  try {
    return await work(folder)
  } finally {
    await remove(folder)
  }
}
