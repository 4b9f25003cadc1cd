import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** Variables that a program gets beside those it inherits, or undefined: that it does not inherit. */
export type Variables = Record<string, string | undefined>

export interface RunOptions {
  cwd: string
  env: Variables
  signal: AbortSignal
}

export const inheritedBy = (env: Variables = {}): NodeJS.ProcessEnv => ({ ...process.env, ...env })

/** For a program that must know nothing of ours: without our settings, which have secrets. */
export const withoutSettings = (env: Variables = {}): NodeJS.ProcessEnv => {
  const { PATH, LANG, LC_ALL, TZ, TMPDIR, FONTCONFIG_PATH } = process.env
  return { PATH, LANG, LC_ALL, TZ, TMPDIR, FONTCONFIG_PATH, ...env }
}

/** What a program prints, or null if it cannot be run or fails. */
export const output = async (
  program: string,
  args: string[],
  options: Partial<RunOptions> = {},
): Promise<string | null> => {
  try {
    return (await promisify(execFile)(program, args, { ...options, env: inheritedBy(options.env) })).stdout
  } catch {
    return null
  }
}

const LINES_KEPT = 30
const LINES_TOLD = 5

/** Of what a program says in hours, the last is enough to tell why it failed. */
export const keepLast = (lines: string[], line: string, most = LINES_TOLD) => {
  lines.push(line)
  if (lines.length > most) lines.shift()
}

/** Of what a program printed before it failed, what says why. */
const reasonIn = (lines: string[]) => {
  const marked = lines.filter(line => /^\s*(error|cause):/i.test(line))
  return (marked.length > 0 ? marked : lines).slice(-LINES_TOLD).map(line => line.trim())
}

/** Runs a program and hands over what it prints, line by line. When this returns or throws, the program has ended. */
export const runLines = async (
  program: string,
  args: string[],
  options: RunOptions,
  onLine: (line: string) => void = () => {},
) => {
  const child = spawn(program, args, {
    ...options,
    env: inheritedBy(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const last: string[] = []
  for (const output of [child.stdout, child.stderr])
    createInterface({ input: output }).on('line', line => {
      keepLast(last, line, LINES_KEPT)
      onLine(line)
    })
  let failure: Error | undefined
  child.once('error', error => {
    failure = error
  })
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  if (failure) throw failure
  if (code !== 0) throw new Error(reasonIn(last).join('; ') || `${program} ended with ${code}`)
}
