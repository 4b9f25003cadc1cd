import type { Client } from '../../client/client.ts'
import type { ParticipantRole } from '../../contract/calls.ts'
import type { RoomType } from '../../contract/rooms.ts'
import { api, codeOf, guestApi } from '../ui/api.ts'
import { isPassing, reasonOf } from './closed/reasons.ts'
import {
  attemptOf,
  forgetAttempt,
  type GuestRecord,
  guestOf,
  keepAttempt,
  keepGuest,
  type Link,
  randomKey,
} from './link.ts'

/** Who is about to join: by a link that is not used yet, as a guest who has used it, or with an account. */
export type Access =
  | { by: 'link'; link: Link; mayRename: boolean }
  | { by: 'guest'; record: GuestRecord }
  | { by: 'user' }

export interface Entry {
  alias: string
  spaceId: string
  roomId: string
  roomName: string
  spaceName: string
  logo: string | null
  type: RoomType
  role: ParticipantRole
  /** What to call the person; null: they are to say. */
  name: string | null
  /** The link or the account says it. */
  isNameFixed: boolean
  access: Access
}

export const clientOf = (access: Access): Client => (access.by === 'guest' ? guestApi(access.record.guestToken) : api)

/** Uses the link. The key is kept until there is an answer, so that a lost one costs nothing. */
export const redeem = async (alias: string, link: Link, mayRename: boolean, name: string): Promise<GuestRecord> => {
  const attempt = attemptOf(link.hash) ?? { key: randomKey(), name }
  keepAttempt(link.hash, attempt)
  try {
    const { guestToken, participantName } = await api.redeemAccess(
      { accessToken: link.accessToken, participantName: attempt.name },
      { idempotencyKey: attempt.key },
    )
    const record = { guestToken, name: participantName, link: mayRename ? link : null }
    keepGuest(alias, link.hash, record)
    return record
  } catch (error) {
    if (!isPassing(reasonOf(error)) && codeOf(error) !== 'idempotency_in_progress') forgetAttempt(link.hash)
    throw error
  }
}

/** With what to join under this name: a link is used now, unless an earlier try has used it already. */
export const accessAs = async ({ alias, access }: Entry, name: string): Promise<Access> => {
  if (access.by === 'user') return access
  const link = access.by === 'link' ? access.link : access.record.link
  const before = access.by === 'guest' ? access.record : guestOf(access.link.hash)
  if (before && (before.link === null || before.name === name)) return { by: 'guest', record: before }
  if (!link) return access
  return { by: 'guest', record: await redeem(alias, link, access.by === 'guest' || access.mayRename, name) }
}
