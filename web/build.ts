/* Builds the pages into web/dist, unless what is there was made from the same sources. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const dist = join(import.meta.dirname, 'dist')
const stamp = join(dist, 'built-from')

const sources = globSync(['web/**/*.*', 'client/*.ts', 'contract/*.ts', 'package-lock.json'], {
  cwd: root,
  exclude: path => path.startsWith('web/dist'),
}).sort()
const hash = createHash('sha256')
for (const path of sources)
  hash
    .update(path)
    .update('\0')
    .update(readFileSync(join(root, path)))
    .update('\0')
const fingerprint = hash.digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint) {
  console.log('Building the pages…')
  const { build } = await import('vite')
  await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })
  // Compressed once here, rather than for everyone who opens a page.
  for (const name of globSync('assets/*.{js,css,svg}', { cwd: dist })) {
    const content = readFileSync(join(dist, name))
    writeFileSync(join(dist, `${name}.br`), brotliCompressSync(content))
    writeFileSync(join(dist, `${name}.gz`), gzipSync(content, { level: 9 }))
  }
  writeFileSync(stamp, fingerprint)
}
