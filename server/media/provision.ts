import { chmod, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { output, runLines } from './run.ts'
import { withScratch } from './scratch.ts'
import type { MediaState } from './state.ts'
import { downloadGo, findGo, findInstallers, type Go, oldestGo, sources } from './toolchain.ts'

/** As pinned in engine/go.mod. */
export const ENGINE_VERSION = '1.13.5'
const FITTING = /^livekit-server version 1\.(1[3-9]|[2-9]\d)\./

const program = 'github.com/livekit/livekit-server/cmd/server'

export class EngineMissing extends Error {}

type Progress = (state: Extract<MediaState, { status: 'downloading' | 'preparing' }>) => void

/** One for each user and version: it outlives the checkout. */
const cachedEngine = (cache: string) =>
  join(cache, `livekit-server-${ENGINE_VERSION}-${process.platform}-${process.arch}`)

/** Where the engine's program is, if it is on this machine: on PATH and of a fitting version, or in the cache. */
export const findEngine = async (cache: string): Promise<string | null> => {
  if (FITTING.test((await output('livekit-server', ['--version'])) ?? '')) return 'livekit-server'
  const cached = cachedEngine(cache)
  return (await output(cached, ['--version'])) ? cached : null
}

const elsewhere = 'put livekit-server 1.13 on PATH, or set LECTERN_LIVEKIT_URL to a LiveKit server running elsewhere'

const requireInstallers = async () => {
  const installers = await findInstallers()
  if (installers.length > 0) return installers
  throw new EngineMissing(
    `Media engine not found. Install Go ${oldestGo()} or newer, or one of pip (with Python), uv or pipx to download Go, then restart Lectern to build it. Or ${elsewhere}.`,
  )
}

/** Throws unless the engine can be built here. */
export const requireBuilder = async (cache: string) => (await findGo(cache)) ?? (await requireInstallers())

/** The engine's program: found, or built with Go, which takes a few minutes, once. `onProgress` is told how far it is. */
export const provideEngine = async (cache: string, onProgress: Progress, cancelled: AbortSignal): Promise<string> => {
  const found = await findEngine(cache)
  if (found) return found
  const go = (await findGo(cache, cancelled)) ?? (await bringGo(cache, onProgress, cancelled))
  await build(cache, go, percent => onProgress({ status: 'preparing', percent }), cancelled)
  return cachedEngine(cache)
}

/** What happened, as the operator is told; a stop is no mishap. */
const mishap = (what: string, error: unknown, cancelled: AbortSignal) =>
  cancelled.aborted
    ? error
    : new EngineMissing(`${what}: ${(error as Error).message}. Restart Lectern to try again. Or ${elsewhere}.`)

const bringGo = async (cache: string, onProgress: Progress, cancelled: AbortSignal) => {
  const installers = await requireInstallers()
  onProgress({ status: 'downloading' })
  try {
    return await downloadGo(cache, installers, cancelled)
  } catch (error) {
    throw mishap('Go could not be downloaded to build the media engine', error, cancelled)
  }
}

/** Of the time it takes, about this much is for fetching the sources. */
const FETCH_SHARE = 30

const build = async (cache: string, go: Go, onProgress: (percent: number) => void, signal: AbortSignal) => {
  onProgress(0)
  try {
    await withScratch(cache, async folder => {
      const built = join(folder, 'livekit-server')
      // No C compiler is needed, as for LiveKit's own releases.
      const options = { cwd: sources, env: { ...go.env, CGO_ENABLED: '0', GOTMPDIR: folder }, signal }
      const modules = (await readFile(join(sources, 'go.mod'), 'utf8')).match(/^\t\S+ v/gm)?.length ?? 1
      let fetched = 0
      await runLines(go.program, ['mod', 'download', '-x'], options, line => {
        if (/\.zip: 200 /.test(line)) onProgress((++fetched / modules) * FETCH_SHARE)
      })
      let packages = 0
      await runLines(go.program, ['list', '-deps', program], options, () => packages++)
      let compiled = 0
      const flags = ['-v', '-trimpath', '-ldflags', '-s -w', '-o', built]
      await runLines(go.program, ['build', ...flags, program], options, () =>
        onProgress(FETCH_SHARE + (++compiled / packages) * (100 - FETCH_SHARE)),
      )
      await chmod(built, 0o755)
      await rename(built, cachedEngine(cache))
    })
  } catch (error) {
    throw mishap('The media engine could not be built', error, signal)
  }
}
