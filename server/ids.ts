import { randomBytes, randomUUID } from 'node:crypto'
import { idPattern } from '../contract/common.ts'

let lastTime = 0
let sequence = 0
/**
 * UUIDv7 (RFC 9562): ids grow with time, so a list in the order of ids is in the order of creation. The time is that of
 * all nodes; within a millisecond a counter keeps the order of the first 4,096.
 */
export const newId = (time: number): string => {
  // Transactions that began close together may ask in any order.
  const isNear = time <= lastTime && time > lastTime - 1000
  sequence = isNear ? Math.min(sequence + 1, 0xfff) : 0
  if (!isNear) lastTime = time
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${sequence.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`
}

const uuid = new RegExp(idPattern)
export const isId = (text: string) => uuid.test(text)

// Lower-case letters that cannot be taken for another when read (i, l, o) or written down.
const letters = 'abcdefghjkmnpqrstuvwxyz'
const alias = new RegExp(`^[${letters}]{3}-[${letters}]{4}-[${letters}]{3}$`)
export const isAlias = (text: string) => alias.test(text)

let random = randomBytes(0)
let used = 0
/** Many are made at once: asking for them takes far longer than making one. */
const randomByte = () => {
  if (used === random.length) [random, used] = [randomBytes(1024), 0]
  return random[used++] as number
}

/** About 2^45 of them: short enough to read aloud. */
export const newAlias = (): string => {
  let text = ''
  while (text.length < 12) {
    const byte = randomByte()
    // The highest multiple of 23 in a byte: above it some letters would come more often.
    if (byte >= 253) continue
    if (text.length === 3 || text.length === 8) text += '-'
    text += letters[byte % letters.length]
  }
  return text
}

/** No id made at that time or later is smaller. */
export const oldestId = (time: number) => {
  const hex = Math.max(0, time).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
