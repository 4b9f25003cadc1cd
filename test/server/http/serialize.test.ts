import { afterEach, expect, test, vi } from 'vitest'
import { operations } from '../../../contract/operations.ts'
import { createSerializer } from '../../../server/http/serialize.ts'

afterEach(() => vi.restoreAllMocks())

const id = '0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10'
const entry = {
  id,
  at: '2026-01-31T09:30:00.000Z',
  action: 'room.created',
  actor: { kind: 'user', id, name: 'Ada "the first"\n' },
  address: '::1',
  tokenId: id,
  tokenName: null,
  spaceId: id,
  target: { type: 'room', id, name: 'Algebra \\ 😀' },
  details: { isPublic: true, name: 'Algebra' },
}

const audit = createSerializer(operations.listAudit.answer)

test('what people write is escaped; ids, times and enums come as they are, without a warning', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const answer = { items: [entry], nextCursor: null }
  expect(JSON.parse(audit(answer))).toEqual(answer)
  expect(warn).not.toHaveBeenCalled()
})

test('an answer has no field that the contract does not name', () => {
  const answer = { items: [{ ...entry, secret: 'x' }], nextCursor: null }
  expect(audit(answer)).not.toContain('secret')
})
