/** No look-alikes, as it may be read aloud. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A password to hand over: four groups of four, about 79 bits. */
export const newPassword = () => {
  const letters: string[] = []
  while (letters.length < 16) {
    // Bytes past the last whole round of the alphabet would favour its start.
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    const letter = byte < 248 ? alphabet[byte % alphabet.length] : undefined
    if (letter !== undefined) letters.push(letter)
  }
  return [0, 4, 8, 12].map(start => letters.slice(start, start + 4).join('')).join('-')
}
