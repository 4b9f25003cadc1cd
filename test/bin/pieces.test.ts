import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launchProgram, temporaryFolder } from '../support/process.ts'

const packages = ['typebox', 'kysely', 'kysely/migration', 'livekit-server-sdk']

/** Where a program that begins as Lectern does finds each of the packages, and what there is in it. */
const look = async (tree: string) => {
  const script = `await import('./bin/pieces.js')
    for (const name of ${JSON.stringify(packages)})
      console.log(import.meta.resolve(name), Object.keys(await import(name)).sort().join())`
  const { code, stdout, stderr } = await launchProgram(
    process.execPath,
    ['--input-type=module', '--eval', script],
    {},
    { cwd: tree },
  ).ended
  expect([code, stderr]).toEqual([0, ''])
  return stdout
    .trim()
    .split('\n')
    .map(line => line.split(' ') as [where: string, what: string])
}

test('packages of many files are loaded in one piece that has all of them, where it was built', async () => {
  expect(spawnSync(process.execPath, ['bin/build.js']).status).toBe(0)
  const built = await look(process.cwd())
  for (const [where] of built) expect(where).toContain('/node_modules/.cache/lectern/')

  const tree = temporaryFolder()
  for (const name of ['bin', 'package.json']) cpSync(name, join(tree, name), { recursive: true })
  mkdirSync(join(tree, 'node_modules'))
  for (const name of ['typebox', 'kysely', 'livekit-server-sdk'])
    symlinkSync(join(process.cwd(), 'node_modules', name), join(tree, 'node_modules', name))
  const asTheyAre = await look(tree)
  for (const [where] of asTheyAre) expect(where).not.toContain('.cache')
  expect(built.map(([, what]) => what)).toEqual(asTheyAre.map(([, what]) => what))
})
