import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const dist = join(import.meta.dirname, '../../web/dist')

/** A file of the build and all that it imports at once; what is imported later is not in it. */
const withImports = (name: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(name)) return seen
  seen.add(name)
  if (!name.endsWith('.js')) return seen
  const source = readFileSync(join(dist, 'assets', name), 'utf8')
  for (const [, imported = ''] of source.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) withImports(imported, seen)
  return seen
}

const gzipped = (name: string) => {
  const path = join(dist, 'assets', `${name}.gz`)
  return existsSync(path) ? statSync(path).size : 0
}

test('the room page is small until the person joins', () => {
  const files = new Set<string>()
  for (const [, name = ''] of readFileSync(join(dist, 'room.html'), 'utf8').matchAll(/"\/assets\/([^"]+)"/g))
    withImports(name, files)
  // Its texts, in the language that takes most.
  const built = new Set(readFileSync(join(dist, 'built-from'), 'utf8').split('\n'))
  const largest = (part: string) => {
    const sizes = readdirSync(join(dist, 'assets')).filter(name => built.has(name) && !files.has(name))
    return Math.max(...sizes.filter(name => name.startsWith(`${part}-`) && name.endsWith('.js')).map(gzipped))
  }
  const total = [...files].reduce((sum, name) => sum + gzipped(name), 0) + largest('room') + largest('common')
  expect(files.size).toBeGreaterThan(5)
  expect(total).toBeLessThan(220_000)
})
