import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'

/** 256 random bits, for secrets that give access to their holder: invites, links, refresh tokens, client secrets. */
export const randomToken = () => randomBytes(32).toString('base64url')

/** How tokens are stored: they have 256 random bits, so a plain hash is enough. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')

export interface Keys {
  /** Signs access and guest tokens. */
  signing: Buffer
  /** Encrypts what must be read back: authenticated, and bound to `context` so that it cannot be moved elsewhere. */
  seal: (plain: string, context: string) => string
  unseal: (sealed: string, context: string) => string
  /** A keyed fingerprint, for things of little entropy. */
  fingerprint: (text: string) => string
  /** The refresh token that follows this one: always the same, and computable only with the key. */
  successor: (refreshToken: string) => string
}

const keysFrom = (master: Buffer): Keys => {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', master, '', `lectern ${purpose}`, 32))
  const sealing = derive('sealing')
  const fingerprinting = derive('fingerprints')
  const succession = derive('refresh tokens')
  return {
    signing: derive('token signing'),
    seal(plain, context) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(context))
      return Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
        'base64url',
      )
    },
    unseal(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, 12), { authTagLength: 16 })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-16))
      return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
    },
    fingerprint: text => createHmac('sha256', fingerprinting).update(text).digest('base64url'),
    successor: token => createHmac('sha256', succession).update(token).digest('base64url'),
  }
}

/** The master key of the settings; without one that of the data folder, which the first start makes. */
export const loadKeys = ({ data, masterKey }: Pick<Config, 'data' | 'masterKey'>): Keys => {
  // One level only: a mistyped path must not become a tree of new folders.
  if (!existsSync(data)) mkdirSync(data, { mode: 0o700 })
  if (masterKey) return keysFrom(Buffer.from(masterKey, 'base64url'))
  const file = join(data, 'master.key')
  try {
    writeFileSync(file, `${randomToken()}\n`, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const master = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url')
  if (master.length !== 32)
    throw Object.assign(
      new Error(`${file} is damaged: it must contain 32 bytes as base64url. Restore it from your backup.`),
      { expected: true },
    )
  return keysFrom(master)
}
