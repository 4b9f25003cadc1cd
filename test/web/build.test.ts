import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isLong } from '../support/long.ts'
import { launchProgram, readyAt, temporaryFolder } from '../support/process.ts'

/** The program with pages of one line each, to be built in a moment. */
const smallTree = () => {
  const tree = temporaryFolder()
  for (const name of ['bin', 'server', 'contract', 'client', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(name, join(tree, name), { recursive: true })
  symlinkSync(join(process.cwd(), 'node_modules'), join(tree, 'node_modules'))
  mkdirSync(join(tree, 'web'))
  for (const name of ['build.ts', 'vite.config.ts', 'tsconfig.json']) cpSync(`web/${name}`, join(tree, 'web', name))
  for (const page of ['console', 'room', 'recorder']) {
    writeFileSync(join(tree, `web/${page}.html`), `<script type="module" src="./${page}.ts"></script>`)
    writeFileSync(join(tree, `web/${page}.ts`), `document.title = '${page}'`)
  }
  return tree
}

const build = (tree: string, title: string) => {
  writeFileSync(join(tree, 'web/console.ts'), `document.title = '${title}'`)
  const { status, stderr } = spawnSync(process.execPath, ['web/build.ts'], { cwd: tree, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
}

const start = async (tree: string) => {
  const settings = { PORT: '0', LECTERN_DATA: temporaryFolder(), LECTERN_MEDIA: 'off' }
  const started = launchProgram(process.execPath, ['bin/lectern.js', 'start'], settings, { cwd: tree })
  const url = await readyAt(started)
  const scriptOfPage = async () => /assets\/console-[\w-]+\.js/.exec(await (await fetch(url)).text())?.[0] ?? 'none'
  const ask = async (path: string) => {
    const answer = await fetch(`${url}/${path}`)
    return [answer.status, /title ?= ?.(\w+)/.exec(await answer.text())?.[1]]
  }
  return { scriptOfPage, ask }
}

test.runIf(isLong)('pages of the build before still load after an upgrade', async () => {
  const tree = smallTree()
  build(tree, 'first')
  const before = await start(tree)
  const first = await before.scriptOfPage()
  build(tree, 'second')
  expect(await before.ask(first)).toEqual([200, 'first'])
  const after = await start(tree)
  const second = await after.scriptOfPage()
  expect(second).not.toBe(first)
  expect(await after.ask(second)).toEqual([200, 'second'])
  expect(await after.ask(first)).toEqual([200, 'first'])
})

test.runIf(isLong)('what was replaced a week ago goes with the next build, however old the build before is', () => {
  const tree = smallTree()
  const titles = ['first', 'second', 'third']
  const assets = join(tree, 'web/dist/assets')
  const scripts = () => readdirSync(assets).filter(name => name.startsWith('console-'))
  const longAgo = new Date(Date.now() - 8 * 24 * 3_600_000)
  const seen = titles.map(title => {
    build(tree, title)
    const names = scripts()
    for (const name of names) utimesSync(join(assets, name), longAgo, longAgo)
    return names.length
  })
  // Each is there three times: as it is, and compressed in two ways.
  expect(seen).toEqual([3, 6, 6])
})
