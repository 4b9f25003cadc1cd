import { expect, test } from 'vitest'
import { isoTime } from '../../server/times.ts'

test('times are written as toISOString writes them, in whatever order', () => {
  const edges = ['0000-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z']
  const leap = ['2024-02-29T12:00:00.001Z', '2026-11-15T23:59:59.999Z', '2026-11-16T00:00:00.000Z']
  const texts = [...edges, ...leap, '9999-12-31T23:59:59.999Z']
  for (const text of [...texts, ...texts.toReversed()]) expect(isoTime(Date.parse(text))).toBe(text)
  for (let time = Date.parse('2026-11-15'); time < Date.parse('2026-11-18'); time += 1_234_567)
    expect(isoTime(time)).toBe(new Date(time).toISOString())
})
