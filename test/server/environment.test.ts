import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Which files of the product speak of it, outside of comments, and how. */
const readers = globSync('{contract,server,client}/**/*.ts', { cwd: root }).flatMap(path => {
  const text = readFileSync(join(root, path), 'utf8')
    .replace(/^\s*\/\*[\s\S]*?\*\//gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
  return /process\s*\.\s*env|from 'node:process'/.test(text) ? [{ path, text }] : []
})

test('the environment is read by the commands alone, and handed on as settings', () => {
  const commands = readers.filter(({ path }) => path.startsWith('server/commands/'))
  const others = readers.filter(reader => !commands.includes(reader))
  expect(commands).not.toEqual([])
  // Each of them hands all of it to the one place that knows the settings.
  for (const { path, text } of commands) expect(text, path).toContain('readConfig(process.env)')
  // The programs that are run inherit it, unread, or nothing that is a setting.
  expect(others.map(({ path }) => path)).toEqual(['server/media/run.ts'])
  expect(others[0]?.text.match(/.*process.env.*/g)).toEqual([
    expect.stringContaining('({ ...process.env, ...env })'),
    '  const { PATH, LANG, LC_ALL, TZ, TMPDIR, FONTCONFIG_PATH } = process.env',
  ])
})
