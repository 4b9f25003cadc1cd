import { type SpawnOptions, spawnSync } from 'node:child_process'

let hasSetpriv: boolean | undefined

/**
 * What to spawn so that on Linux the kernel ends the program with us, however we end. What is sent to all of a terminal or
 * a group is then for us alone: a program that ended by itself would be started again while we answer what is under way.
 * It leads a group of its own.
 */
export const tiedToUs = (program: string, args: string[], options: SpawnOptions): [string, string[], SpawnOptions] => {
  hasSetpriv ??= process.platform === 'linux' && spawnSync('setpriv', ['--version']).status === 0
  return hasSetpriv
    ? ['setpriv', ['--pdeathsig', 'KILL', program, ...args], { ...options, detached: true }]
    : [program, args, options]
}
