import type { FastifyReply } from 'fastify'

/** What no file system takes in a name, and what would turn a line of it around. */
const unfit = /[\s\p{Cc}\p{Cf}"*/:<>?\\|]+/gu
const MAX_LENGTH = 80

/** Makes the answer a file to keep, under a name in any alphabet (RFC 6266). */
export const asFile = (reply: FastifyReply, type: string, name: string, extension: string) => {
  const stem = [...name.replace(unfit, ' ').trim()].slice(0, MAX_LENGTH).join('')
  const ascii = stem.replace(/[^\x20-\x7e]/g, '_')
  const encoded = encodeURIComponent(`${stem}.${extension}`).replace(
    /['()]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return reply
    .type(type)
    .header('content-disposition', `attachment; filename="${ascii}.${extension}"; filename*=UTF-8''${encoded}`)
}
