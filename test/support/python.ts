import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const cache = resolve('node_modules/.cache/python')

/** Packages of PyPI, by name and version, fetched once: what Python needs in its environment to find them. */
export const pythonPackages = (...packages: string[]) => {
  const folder = join(cache, packages.join('+'))
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const begun = `${folder}.${process.pid}`
    execFileSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', begun, ...packages], { stdio: 'pipe' })
    // Whole, or not there; another worker may have been faster.
    if (existsSync(folder)) rmSync(begun, { recursive: true })
    else renameSync(begun, folder)
  }
  return { PYTHONPATH: folder }
}
