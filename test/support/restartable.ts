import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { vi } from 'vitest'
import { closeAtTheEnd } from './closing.ts'

/** A program that a test kills and starts again; gone with the test. */
export const restartable = (program: string, args: string[], isUp: () => Promise<unknown>) => {
  let child: ChildProcess | undefined
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  closeAtTheEnd(kill)
  return {
    kill,
    async start() {
      child = spawn(program, args, { stdio: 'ignore' })
      await vi.waitFor(isUp, { timeout: 15_000, interval: 100 })
    },
  }
}
