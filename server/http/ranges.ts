export interface ByteRange {
  start: number
  /** Included. */
  end: number
}

/** The one range asked for of so many bytes (RFC 9110 §14.1.2). null: all, as for what is not understood. */
export const byteRange = (header: string | undefined, size: number): ByteRange | null | 'unsatisfiable' => {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  // The last so many bytes.
  if (first === '')
    return Number(last) > 0 && size > 0 ? { start: Math.max(0, size - Number(last)), end: size - 1 } : 'unsatisfiable'
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start >= size) return 'unsatisfiable'
  return start <= end ? { start, end } : null
}
