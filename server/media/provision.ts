import { execFile, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** As pinned in engine/go.mod. */
export const ENGINE_VERSION = '1.13.5'
const FITTING = /^livekit-server version 1\.(1[3-9]|[2-9]\d)\./

const sources = join(import.meta.dirname, '../../engine')
const program = 'github.com/livekit/livekit-server/cmd/server'

export class EngineMissing extends Error {}

/** What a program prints, or null if it cannot be run. */
const output = async (program: string, ...args: string[]): Promise<string | null> => {
  try {
    return (await run(program, args)).stdout
  } catch {
    return null
  }
}

/** One for each user and version: it outlives the checkout. */
const cachedEngine = (cache: string) =>
  join(cache, `livekit-server-${ENGINE_VERSION}-${process.platform}-${process.arch}`)

/** Where the engine's program is, if it is on this machine: on PATH and of a fitting version, or in the cache. */
export const findEngine = async (cache: string): Promise<string | null> => {
  if (FITTING.test((await output('livekit-server', '--version')) ?? '')) return 'livekit-server'
  const cached = cachedEngine(cache)
  return (await output(cached, '--version')) ? cached : null
}

/** Throws unless it can be built here. */
export const requireGo = async () => {
  if (!(await output('go', 'version')))
    throw new EngineMissing(
      'There is no media engine. Install Go 1.26 or newer and start again, and Lectern builds it; or put livekit-server 1.13 on PATH.',
    )
}

/**
 * The engine's program: found, or built with Go. `onProgress` is told the percentage while it is built, which takes a
 * few minutes, once.
 */
export const provideEngine = async (
  cache: string,
  onProgress: (percent: number) => void,
  cancelled: AbortSignal,
): Promise<string> => {
  const found = await findEngine(cache)
  if (found) return found
  await requireGo()
  const cached = cachedEngine(cache)
  await build(cached, onProgress, cancelled)
  return cached
}

/** Of the time it takes, about this much is for fetching the sources. */
const FETCH_SHARE = 30

const build = async (target: string, onProgress: (percent: number) => void, cancelled: AbortSignal) => {
  onProgress(0)
  mkdirSync(dirname(target), { recursive: true })
  const partial = `${target}.${process.pid}`
  try {
    const modules = readFileSync(join(sources, 'go.mod'), 'utf8').match(/^\t\S+ v/gm)?.length ?? 1
    let fetched = 0
    await lines(['mod', 'download', '-json'], cancelled, line => {
      if (line === '}') onProgress((++fetched / modules) * FETCH_SHARE)
    })
    const { stdout: packages } = await run('go', ['list', '-deps', program], {
      cwd: sources,
      maxBuffer: 2 ** 24,
      signal: cancelled,
    })
    let built = 0
    await lines(['build', '-v', '-trimpath', '-ldflags', '-s -w', '-o', partial, program], cancelled, () =>
      onProgress(FETCH_SHARE + (++built / packages.split('\n').length) * (100 - FETCH_SHARE)),
    )
    chmodSync(partial, 0o755)
    renameSync(partial, target)
  } catch (error) {
    rmSync(partial, { force: true })
    if (cancelled.aborted) throw error
    throw new EngineMissing(
      `The media engine could not be built: ${(error as Error).message}. Go 1.26 or newer is needed; or put livekit-server 1.13 on PATH.`,
    )
  }
}

/** Runs a Go command among the engine's sources and hands over what it prints, line by line. */
const lines = async (args: string[], signal: AbortSignal, onLine: (line: string) => void) => {
  const child = spawn('go', args, { cwd: sources, signal, stdio: ['ignore', 'pipe', 'pipe'] })
  const last: string[] = []
  for (const output of [child.stdout, child.stderr])
    createInterface({ input: output }).on('line', line => {
      last.push(line)
      if (last.length > 5) last.shift()
      onLine(line)
    })
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(last.join('; ') || `go ${args[0]} ended with ${code}`)
}
