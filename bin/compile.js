/*
 * Strips and compiles whatever the service may load, unless that is done, and ends: the service itself would keep the ten
 * megabytes that takes. Found again by processes with the same flags.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'

module.enableCompileCache()
await import('./pieces.js')

const server = join(import.meta.dirname, '../server')
const paths = globSync('**/*.ts', { cwd: server, exclude: ['main.ts', '**/*.d.ts'] }).map(path => join(server, path))
const hash = createHash('sha256')
for (const path of paths) hash.update(path).update(readFileSync(path))
const folder = module.getCompileCacheDir()
const stamp = join(folder ?? '', `lectern-${hash.digest('hex')}`)

if (folder && !existsSync(stamp)) {
  for (const path of paths) await import(path)
  writeFileSync(stamp, '')
  process.argv.splice(2, Infinity, '--version')
  await import('./lectern.js')
}
