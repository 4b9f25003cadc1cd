import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin, stripTypeScriptTypes } from 'node:module'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

/* The folder is the layer: which may know which. */

const root = join(import.meta.dirname, '..')

interface Source {
  /** From the root, like server/http/app.ts */
  path: string
  text: string
  /** All that is imported, for types alone too. */
  imports: string[]
  /** What is really loaded together with it. */
  loads: string[]
}

const importsOf = (text: string) =>
  [...text.matchAll(/(?:^|\s)(?:from|import)\s+'([^']+)'/g)].map(([, name = '']) => name)
const dynamicImportsOf = (text: string) => [...text.matchAll(/import\('([^']+)'\)/g)].map(([, name = '']) => name)

const sourcesOf = (folder: string): Source[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => {
      const path = join(folder, file)
      const code = readFileSync(join(root, path), 'utf8')
        .replace(/^\s*\/\*[\s\S]*?\*\//gm, '')
        .replace(/^\s*\/\/.*$/gm, '')
      const named = (names: string[]) =>
        names.map(name => (name.startsWith('.') ? relative(root, join(root, folder, file, '..', name)) : name))
      return {
        path,
        text: code,
        imports: named([...importsOf(code), ...dynamicImportsOf(code)]),
        loads: named(importsOf(stripTypeScriptTypes(code))),
      }
    })

const contract = sourcesOf('contract')
const server = sourcesOf('server')
const client = sourcesOf('client')
const product = [...contract, ...server, ...client]

/** `who imports what`, of those that may not. */
const offences = (sources: Source[], isAllowed: (imported: string, path: string) => boolean, by: 'imports' | 'loads') =>
  sources.flatMap(source =>
    source[by]
      .filter(imported => !isAllowed(imported, source.path))
      .map(imported => `${source.path} imports ${imported}`),
  )

const isOurs = (imported: string) => /^(contract|server|client|web|test|bench)\//.test(imported)
const packageOf = (imported: string) => imported.split('/', imported.startsWith('@') ? 2 : 1).join('/')

describe('imports', () => {
  test('are found at all', () => {
    const app = server.find(({ path }) => path === 'server/http/app.ts')
    expect(app?.loads).toEqual(expect.arrayContaining(['fastify', 'server/http/gate.ts', 'contract/operations.ts']))
    const rules = server.find(({ path }) => path === 'server/rules.ts')
    expect(rules?.imports).toContain('contract/errors.ts')
    const db = server.find(({ path }) => path === 'server/store/db.ts')
    expect(db?.imports).toContain('server/store/sqlite.ts')
    expect(db?.loads).not.toContain('server/store/sqlite.ts')
  })

  test('the contract knows typebox and itself', () => {
    expect(
      offences(contract, imported => imported === 'typebox' || imported.startsWith('contract/'), 'imports'),
    ).toEqual([])
  })

  test('the client knows the contract and itself, and runs in a browser', () => {
    // Receivers of webhooks are servers: checking a signature is theirs alone.
    const mayUseNode = (path: string) => path === 'client/webhooks.ts'
    expect(
      offences(
        client,
        (imported, path) =>
          imported.startsWith('contract/') ||
          imported.startsWith('client/') ||
          (imported.startsWith('node:') && mayUseNode(path)),
        'imports',
      ),
    ).toEqual([])
  })

  test('only the store knows how things are stored', () => {
    const storage = ['kysely', 'better-sqlite3', 'pg']
    expect(
      offences(
        product,
        (imported, path) => !storage.includes(packageOf(imported)) || path.startsWith('server/store/'),
        'imports',
      ),
    ).toEqual([])
  })

  test('only one file knows the media engine’s library', () => {
    expect(
      offences(
        product,
        (imported, path) => packageOf(imported) !== 'livekit-server-sdk' || path === 'server/media/livekit.ts',
        'imports',
      ),
    ).toEqual([])
  })

  test('the rules are pure: they load nothing', () => {
    const rules = server.filter(({ path }) => path === 'server/rules.ts')
    expect(rules).toHaveLength(1)
    expect(offences(rules, () => false, 'loads')).toEqual([])
  })

  test('the server knows the contract and itself: no pages, no tests', () => {
    expect(offences(server, imported => !isOurs(imported) || /^(contract|server)\//.test(imported), 'imports')).toEqual(
      [],
    )
  })

  test('the store and the rules know nothing of HTTP', () => {
    const lower = server.filter(({ path }) => path.startsWith('server/store/') || path === 'server/rules.ts')
    expect(
      offences(
        lower,
        imported =>
          packageOf(imported) !== 'fastify' &&
          !/^server\/(http|routes|commands|delivery|live)\/|^server\/(start|main)\.ts/.test(imported),
        'imports',
      ),
    ).toEqual([])
  })

  test('whatever the product loads is a dependency of the product', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(
      offences(
        product,
        imported => isOurs(imported) || isBuiltin(imported) || packageOf(imported) in dependencies,
        'loads',
      ),
    ).toEqual([])
  })

  test('no file needs itself, round any number of corners, not even for a type', () => {
    const imports = new Map(product.map(source => [source.path, source.imports.filter(isOurs)]))
    const cycles: string[] = []
    const finished = new Set<string>()
    const visit = (path: string, above: string[]) => {
      if (above.includes(path)) cycles.push([...above.slice(above.indexOf(path)), path].join(' -> '))
      if (above.includes(path) || finished.has(path)) return
      for (const next of imports.get(path) ?? []) visit(next, [...above, path])
      finished.add(path)
    }
    for (const path of imports.keys()) visit(path, [])
    expect(cycles).toEqual([])
  })
})

describe('the environment', () => {
  test('is read by the commands alone, and handed on as settings', () => {
    const readers = product.filter(({ text }) => /process\s*\.\s*env|from 'node:process'/.test(text))
    const [commands, others] = [true, false].map(is =>
      readers.filter(({ path }) => path.startsWith('server/commands/') === is),
    )
    // Each of them hands all of it to the one place that knows the settings.
    for (const { path, text } of commands ?? []) expect(text, path).toContain('readConfig(process.env)')
    // The programs that are run inherit it, unread.
    expect(others?.map(({ path }) => path)).toEqual(['server/media/run.ts'])
    expect(others?.[0]?.text.match(/.{3}process.env./g)).toEqual(['...process.env,'])
  })
})
