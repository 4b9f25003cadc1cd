import { readdirSync, readFileSync } from 'node:fs'
import { isRunning } from './process.ts'

export const commandOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Processes whose command line has this in it. */
export const running = (text: string) =>
  readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && pid !== process.pid && commandOf(pid).includes(text) && isRunning(pid))

const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

/** What the process has started itself, with this in the command line. */
export const childrenOf = (parent: number, text: string) => running(text).filter(pid => parentOf(pid) === parent)

/** The browsers that capture calls for the service in this process. */
export const browsersOf = (parent: number) =>
  childrenOf(parent, '--remote-debugging-pipe').filter(pid => !commandOf(pid).includes('--type='))
