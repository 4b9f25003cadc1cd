/*
 * Strips and compiles whatever the service may load, unless that is done, and ends: the service itself would keep the ten
 * megabytes that takes. Found again by processes of the same user.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

module.enableCompileCache()
await import('./pieces.js')

const root = join(import.meta.dirname, '..')
const sources = globSync(['server/**/*.ts', 'contract/**/*.ts'], { cwd: root, exclude: ['**/*.d.ts'] }).sort()
const hash = createHash('sha256')
for (const path of sources) hash.update(path).update(readFileSync(join(root, path)))
const folder = module.getCompileCacheDir()
const stamp = join(folder ?? '', `lectern-${hash.digest('hex')}`)

if (folder && !existsSync(stamp)) {
  for (const path of sources.filter(path => !path.endsWith('main.ts')))
    await import(pathToFileURL(join(root, path)).href)
  process.argv.splice(2, Infinity, '--version')
  await import('./lectern.js')
  module.flushCompileCache()
  writeFileSync(stamp, '')
}
