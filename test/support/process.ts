import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

/* The program as an operator runs it: `node server/main.ts …` in a process of its own. */

const program = resolve(import.meta.dirname, '../../server/main.ts')

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

/** Any command, without waiting for anything. */
export const launch = (args: string[], environment: Record<string, string>) => {
  const child = spawn(process.execPath, [program, ...args], {
    env: clean(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
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
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, output, ended }
}

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
  const { child, output, ended } = launch(['start'], {
    PORT: '0',
    LECTERN_RATE_LIMITS: 'off',
    LECTERN_MEDIA: 'off',
    ...environment,
  })
  const url = await new Promise<string>((ready, fail) => {
    child.stdout.on('data', () => {
      const [, found] = /Console +(\S+)\s/.exec(output.stdout) ?? []
      if (found) ready(found)
    })
    ended.then(({ code, stderr }) => fail(new Error(`it ended with ${code}: ${stderr}`)))
  })
  return { url, child, output, ended }
}

/** A folder of the test's own, gone with it. */
export const temporaryFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
