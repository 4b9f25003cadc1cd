/* Builds the pages into web/dist, unless what is there was made from the same sources. With them, what the service loads. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Rolldown } from 'vite'
import '../bin/build.js'

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

/** A tab that was opened before an upgrade still asks for the parts of its own build. */
const KEEP_MS = 7 * 24 * 3_600_000

/** The time of a file of an earlier build is when it was replaced: those that were long ago go. */
const retire = (assets: string, last: Set<string>, current: Set<string>, now: Date) => {
  for (const name of readdirSync(assets)) {
    const path = join(assets, name)
    if (current.has(name)) continue
    if (last.has(name)) utimesSync(path, now, now)
    else if (now.getTime() - statSync(path).mtimeMs > KEEP_MS) rmSync(path)
  }
}

const [builtFrom, ...last] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : []

if (builtFrom !== fingerprint) {
  console.log('Building the pages…')
  const { build } = await import('vite')
  const built = (await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'warn',
  })) as Rolldown.RolldownOutput
  const current = new Set<string>()
  for (const { fileName } of built.output.filter(({ fileName }) => dirname(fileName) === 'assets')) {
    const name = basename(fileName)
    current.add(name)
    if (!/\.(js|css|svg|wasm)$/.test(name)) continue
    // Compressed once here, rather than for everyone who opens a page.
    const content = readFileSync(join(dist, fileName))
    // The best takes half a minute for machine code, and saves a tenth.
    const quality = name.endsWith('.wasm') ? 6 : constants.BROTLI_MAX_QUALITY
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
    writeFileSync(join(dist, `${fileName}.br`), brotliCompressSync(content, { params }))
    writeFileSync(join(dist, `${fileName}.gz`), gzipSync(content, { level: 9 }))
    current.add(`${name}.br`).add(`${name}.gz`)
  }
  retire(join(dist, 'assets'), new Set(last), current, new Date())
  writeFileSync(stamp, [fingerprint, ...current].join('\n'))
}
