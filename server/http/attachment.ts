/** A file system takes longer ones badly. */
const LONGEST = 100

/**
 * `Content-Disposition` of a file to save under a name in any alphabet (RFC 6266). What a path or a header could be made
 * of is left out of the name.
 */
export const attachment = (name: string, extension: string) => {
  const safe = [...name.normalize('NFC').replace(/[\p{C}"*/:<>?\\|]+/gu, ' ')]
    .slice(0, LONGEST)
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
  const file = `${safe}.${extension}`
  const ascii = file.replace(/[^\x20-\x7e]/g, '_').replaceAll('%', '_')
  const encoded = encodeURIComponent(file).replace(/['()*]/g, one => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
