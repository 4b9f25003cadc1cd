import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { closeAtTheEnd } from './closing.ts'

/* The program as an operator runs it, in a process of its own. */

const program = resolve(import.meta.dirname, '../../bin/lectern.js')

/** Nothing of the settings of whoever runs the tests. */
const clean = (environment: Record<string, string>): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TMPDIR: process.env.TMPDIR,
  ...environment,
})

export interface Ended {
  /** null: ended by a signal. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** Any program with the settings of the test alone. `detached`: in a process group of its own. */
export const launchProgram = (
  file: string,
  args: string[],
  environment: Record<string, string>,
  options: { detached?: boolean; cwd?: string } = {},
) => {
  const child = spawn(file, args, { ...options, env: clean(environment), stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8')
    child[name].on('data', chunk => {
      output[name] += chunk
    })
  }
  const ended = new Promise<Ended>(done => {
    child.once('close', (code, signal) => done({ code, signal, ...output }))
  })
  // A test that fails leaves nothing running.
  closeAtTheEnd(async () => {
    if (options.detached && child.pid) killGroup(child.pid)
    else child.kill('SIGKILL')
    await ended
  })
  return { child, output, ended }
}

const killGroup = (leader: number) => {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}

export const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    // What has ended and nobody has asked for is there still, in name only.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Any command, without waiting for anything. */
export const launch = (args: string[], environment: Record<string, string>) =>
  launchProgram(process.execPath, [program, ...args], environment)

/** A command to its end. */
export const lecternCommand = (args: string[], environment: Record<string, string> = {}): Promise<Ended> =>
  launch(args, environment).ended

export interface RunningProcess {
  url: string
  child: ChildProcess
  output: { stdout: string; stderr: string }
  ended: Promise<Ended>
}

/** `lectern start` until it says where it is; throws with its words if it ends before. */
export const startProcess = async (environment: Record<string, string>): Promise<RunningProcess> => {
  const started = launch(['start'], {
    PORT: '0',
    LECTERN_RATE_LIMITS: 'off',
    LECTERN_MEDIA: 'off',
    ...environment,
  })
  return { ...started, url: await readyAt(started) }
}

/** Where a service that is being started says it is. */
export const readyAt = ({ child, output, ended }: ReturnType<typeof launchProgram>) =>
  new Promise<string>((ready, fail) => {
    child.stdout.on('data', () => {
      const [, found] = /Console +(\S+)\s/.exec(output.stdout) ?? []
      if (found) ready(found)
    })
    ended.then(({ code, stderr }) => fail(new Error(`it ended with ${code}: ${stderr}`)))
  })

/** A folder of the test's or the file's own, gone with it. */
export const temporaryFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'))
  closeAtTheEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
