import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorCodes, fieldCodes, ruleNames } from '../../contract/errors.ts'
import { MediaStatus } from '../../contract/service.ts'
import { BlockedReason, FailureReason } from '../../contract/webhooks.ts'

/* Every text there is, in every language, and every text that is asked for. */

const web = join(import.meta.dirname, '../../web')
const parts = globSync('messages/en/*.ts', { cwd: web }).map(path => path.replace('messages/en/', ''))

const read = async (language: string, part: string): Promise<Record<string, string>> =>
  (await import(join(web, 'messages', language, part))).default

/** Without the forms of number, of which languages have different ones. */
const keysOf = (messages: Record<string, string>) => [
  ...new Set(Object.keys(messages).map(key => key.replace(/_(one|few|many|other)$/, ''))),
]
const placeholdersOf = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].sort()

describe.each(parts)('%s', part => {
  test('says the same in English and Russian', async () => {
    const english = await read('en', part)
    const russian = await read('ru', part)
    expect(keysOf(russian).sort()).toEqual(keysOf(english).sort())
    for (const [key, text] of Object.entries(russian)) {
      const original = english[key] ?? english[key.replace(/_(few|many)$/, '_other')] ?? ''
      expect(placeholdersOf(text), key).toEqual(placeholdersOf(original))
    }
  })

  test('has all forms of number', async () => {
    for (const [language, forms] of [
      ['en', ['one', 'other']],
      ['ru', ['one', 'few', 'many', 'other']],
    ] as const) {
      const messages = await read(language, part)
      for (const key of Object.keys(messages))
        if (key.endsWith('_other'))
          for (const form of forms) expect(messages).toHaveProperty([key.replace(/other$/, form)])
    }
  })
})

/** All codes of a closed list, of whatever the service may say. */
const codesOf = (schema: unknown) => (schema as { enum: string[] }).enum

test.each([
  ['error', 'common.ts', Object.keys(errorCodes)],
  ['field', 'common.ts', Object.keys(fieldCodes)],
  ['rule', 'common.ts', [...ruleNames]],
  ['delivery.reason', 'webhook.ts', codesOf(FailureReason)],
  ['webhook.blocked', 'webhook.ts', codesOf(BlockedReason)],
  ['state.media', 'console.ts', codesOf(MediaStatus)],
])('every %s of the service has its words', async (family, part, codes) => {
  const keys = keysOf(await read('en', part))
  expect(codes.map(code => `${family}.${code}`).filter(key => !keys.includes(key))).toEqual([])
})

/** Components that ask for a whole family of texts under one name. */
const families: Record<string, string[]> = {
  ConfirmSection: ['', '.text', '.title', '.confirm'],
  LinkDialog: ['.create', '.ready', '.ready.text', '.link'],
}
const askedByFamily = (source: string) =>
  [...source.matchAll(/<(\w+)\s+texts="([^"]+)"/g)].flatMap(([, component = '', name = '']) =>
    (families[component] ?? []).map(suffix => name + suffix),
  )

test.each(['console', 'room'])('every text the %s asks for is there', async part => {
  const keys = new Set([...keysOf(await read('en', `${part}.ts`)), ...keysOf(await read('en', 'common.ts'))])
  const sources = globSync([`${part}/**/*.{ts,tsx}`, 'ui/*.{ts,tsx}'], { cwd: web })
  expect(sources.length).toBeGreaterThan(1)
  const missing = sources.flatMap(path => {
    const source = readFileSync(join(web, path), 'utf8')
    const asked = [
      ...source.matchAll(/\bt\(\s*'([^']+)'/g),
      ...source.matchAll(/\bt\([^'`()]+\? '([^']+)' : '([^']+)'/g),
    ]
    return asked
      .flatMap(([, ...found]) => found)
      .concat(askedByFamily(source))
      .filter(key => key !== undefined && !keys.has(key))
      .map(key => `${path}: ${key}`)
  })
  expect(missing).toEqual([])
})
