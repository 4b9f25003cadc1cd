import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { conflict, connectionName, differences, isNode } from '../../../server/cluster/settings.ts'
import { readConfig } from '../../../server/config.ts'
import { loadKeys } from '../../../server/identity/keys.ts'

const keys = loadKeys({ data: mkdtempSync(join(tmpdir(), 'lectern-test-')), masterKey: null })
const livekit = { LECTERN_LIVEKIT_URL: 'ws://a', LECTERN_LIVEKIT_API_KEY: 'key', LECTERN_LIVEKIT_API_SECRET: 'secret' }
const name = (environment: Record<string, string> = {}) =>
  connectionName(readConfig({ ...livekit, ...environment }), keys)

test('the name is one that PostgreSQL keeps whole', () => {
  expect(name().length).toBeLessThanOrEqual(63)
  expect(isNode(name())).toBe(true)
  expect(isNode('lectern')).toBe(false)
})

test.each([
  ['the same', {}, {}, null],
  ['another address', {}, { LECTERN_LIVEKIT_URL: 'ws://b' }, 'other_engine'],
  ['another key', {}, { LECTERN_LIVEKIT_API_KEY: 'other' }, 'other_engine'],
  ['another secret', {}, { LECTERN_LIVEKIT_API_SECRET: 'other' }, 'other_engine'],
  [
    'the same in another order',
    { LECTERN_LIVEKIT_URL: 'ws://a,ws://b' },
    { LECTERN_LIVEKIT_URL: 'ws://b,ws://a' },
    null,
  ],
  ['off here', { LECTERN_MEDIA: 'off' }, {}, 'other_engine'],
  ['off on both', { LECTERN_MEDIA: 'off' }, { LECTERN_MEDIA: 'off' }, null],
  ['an engine of its own here', { LECTERN_LIVEKIT_URL: '' }, {}, 'own_engine'],
  ['an engine of its own there', {}, { LECTERN_LIVEKIT_URL: '' }, 'own_engine'],
  ['one of its own each', { LECTERN_LIVEKIT_URL: '' }, { LECTERN_LIVEKIT_URL: '' }, 'own_engine'],
] as const)('LiveKit: %s', (_, ours, theirs, expected) => {
  expect(conflict(name(ours), name(theirs))).toBe(expected)
})

test('what should be the same is named, what may differ is not', () => {
  expect(differences(name(), name())).toEqual([])
  expect(
    differences(name({ LECTERN_CALL_GRACE: '5', LECTERN_KEEP_CHAT_DAYS: '1' }), name({ PORT: '1', HOST: '0.0.0.0' })),
  ).toEqual(['LECTERN_CALL_GRACE', 'LECTERN_KEEP_CHAT_DAYS'])
  const s3 = { LECTERN_S3_BUCKET: 'records', LECTERN_S3_REGION: 'eu-north-1' }
  expect(differences(name(s3), name({ ...s3, LECTERN_S3_PREFIX: 'lectern/' }))).toEqual(['LECTERN_S3_*'])
})
