/* Programs and libraries of others that the tests let loose on the service. Fetched once, as their lists pin them. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

const integrators = resolve(import.meta.dirname, '../integrators')

/** A folder that `fill` has made in full, kept until the list changes. */
const provide = (name: string, list: string, fill: (folder: string) => void) => {
  const version = createHash('sha256').update(readFileSync(list)).digest('hex').slice(0, 12)
  const folder = join(homedir(), '.cache/lectern-tests', `${name}-${version}`)
  if (existsSync(folder)) return folder
  console.log(`Installing ${name} for the tests …`)
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    fill(unfinished)
    // Where nothing was prepared, two workers may come here at once.
    if (!existsSync(folder)) renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return folder
}

const run = (program: string, args: string[], cwd: string) =>
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })

/** A folder with `node_modules`. */
export const nodeTools = () => {
  const from = join(integrators, 'node')
  return provide('node-tools', join(from, 'package-lock.json'), folder => {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(from, file), join(folder, file))
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
  })
}

/** A folder for `PYTHONPATH`. */
export const pythonTools = (list: 'requirements' | 'fuzz' = 'requirements') => {
  const file = join(integrators, 'python', `${list}.txt`)
  return provide(`python-${list}`, file, folder =>
    run('python3', ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', folder, '-r', file], folder),
  )
}

/** A folder with the program `oapi-codegen` and the module to generate into. */
export const goTools = () => {
  const from = join(integrators, 'go')
  return provide('go-tools', join(from, 'go.sum'), folder => {
    for (const file of ['go.mod', 'go.sum']) cpSync(join(from, file), join(folder, file))
    run('go', ['build', '-o', 'oapi-codegen', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen'], folder)
  })
}
