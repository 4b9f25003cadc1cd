import { createHash } from 'node:crypto'
import type { LogoType } from '../../contract/spaces.ts'
import { safeSvg } from './svg.ts'

export const LOGO_BYTES = 512 * 1024

const starts = (bytes: Uint8Array, signature: string, at = 0) =>
  Buffer.from(bytes.subarray(at, at + signature.length)).toString('latin1') === signature

/** By its first bytes, whatever it was sent as. */
const isRaster: Record<Exclude<LogoType, 'image/svg+xml'>, (bytes: Uint8Array) => boolean> = {
  'image/png': bytes => starts(bytes, '\x89PNG\r\n\x1a\n'),
  'image/jpeg': bytes => starts(bytes, '\xff\xd8\xff'),
  'image/webp': bytes => starts(bytes, 'RIFF') && starts(bytes, 'WEBP', 8),
}

const extensions: Record<LogoType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
}

/** What is kept of an image that was sent as this type; null: it is none. */
export const toLogo = (type: LogoType, bytes: Uint8Array): { name: string; bytes: Buffer } | null => {
  const kept = type === 'image/svg+xml' ? safeSvg(bytes) : isRaster[type](bytes) ? Buffer.from(bytes) : null
  return kept && { name: `${createHash('sha256').update(kept).digest('base64url')}.${extensions[type]}`, bytes: kept }
}

const PATH = '/logos/'

export const logoPath = (name: string) => PATH + name

/** Where browsers find it: an uploaded one is kept as a path of ours, which goes with us to another address. */
export const logoUrl = (publicOrigin: string, logo: string | null) =>
  logo?.startsWith(PATH) ? publicOrigin + logo : logo
