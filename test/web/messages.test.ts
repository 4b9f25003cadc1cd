import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { auditActions, auditTargets } from '../../contract/actions.ts'
import { errorCodes, fieldCodes, ruleNames } from '../../contract/errors.ts'
import { MediaStatus } from '../../contract/service.ts'
import { BlockedReason, FailureReason } from '../../contract/webhooks.ts'
import { latinSentence } from './support/russian.ts'

/* That every text that is asked for is there, in every language, is a matter of types: web/room/texts.ts and its like. */

const messages = join(import.meta.dirname, '../../web/messages')

const read = async (language: string, part: string): Promise<Record<string, string>> =>
  (await import(join(messages, language, part))).default

const placeholdersOf = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g) ?? [])].sort()

describe.each(globSync('*.ts', { cwd: join(messages, 'en') }))('%s', part => {
  test('has the same placeholders in English and Russian', async () => {
    const english = await read('en', part)
    for (const [key, text] of Object.entries(await read('ru', part))) {
      // In English "one" may go without its number; the Russian form is also for 21 and 101.
      const originals = [key, key.replace(/_(one|few|many)$/, '_other')].flatMap(name => english[name] ?? [])
      expect(originals.map(placeholdersOf), key).toContainEqual(placeholdersOf(text))
    }
  })

  test('is Russian in Russian', async () => {
    const foreign = Object.entries(await read('ru', part)).filter(([, text]) => latinSentence.test(text))
    expect(foreign).toEqual([])
  })

  test('has both forms of number in English', async () => {
    const english = await read('en', part)
    const counted = Object.keys(english).filter(key => /_(one|other)$/.test(key))
    for (const key of counted)
      for (const form of ['one', 'other']) expect(english).toHaveProperty([key.replace(/(one|other)$/, form)])
  })
})

/** All codes of a list, closed or not, of whatever the service may say. */
const codesOf = (schema: unknown) => {
  const { enum: closed, 'x-extensible-enum': open } = schema as { enum?: string[]; 'x-extensible-enum'?: string[] }
  return closed ?? open ?? []
}

test.each([
  ['error', 'common.ts', Object.keys(errorCodes)],
  ['field', 'common.ts', Object.keys(fieldCodes)],
  ['rule', 'common.ts', [...ruleNames]],
  ['delivery.reason', 'webhook.ts', codesOf(FailureReason)],
  ['webhook.blocked', 'webhook.ts', codesOf(BlockedReason)],
  ['audit.action', 'audit.ts', [...auditActions]],
  ['audit.target', 'audit.ts', [...auditTargets]],
  ['state.media', 'console.ts', codesOf(MediaStatus)],
])('every %s of the service has its words', async (family, part, codes) => {
  const keys = Object.keys(await read('en', part)).map(key => key.replace(/_(one|other)$/, ''))
  expect(codes.map(code => `${family}.${code}`).filter(key => !keys.includes(key))).toEqual([])
})
