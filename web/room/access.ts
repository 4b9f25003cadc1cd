import type { Client } from '../../client/client.ts'
import type { ParticipantRole } from '../../contract/calls.ts'
import type { RecordNotice } from '../../contract/records.ts'
import type { RoomType } from '../../contract/rooms.ts'
import { api, codeOf, guestApi } from '../ui/api.ts'
import { isTransient, reasonOf } from './closed/reasons.ts'
import {
  attemptOf,
  forgetAttempt,
  type GuestRecord,
  guestOf,
  isNameOwn,
  keepAttempt,
  keepGuest,
  keepName,
  type Link,
  randomKey,
} from './link.ts'

/** What the person joins with: a link that is not used yet, the guest who has used it, or an account. */
export type Credentials =
  | { by: 'link'; link: Link; isReusable: boolean; isNameOwn: boolean }
  | { by: 'guest'; record: GuestRecord }
  | { by: 'user' }

/** The room, and as whom the person has access to it. */
export interface RoomAccess {
  alias: string
  spaceId: string
  roomId: string
  roomName: string
  spaceName: string
  logo: string | null
  type: RoomType
  role: ParticipantRole
  /** Whether the call was recorded when the room was looked at, or will be. */
  recording: RecordNotice | null
  /** Likewise, whether it was streamed. */
  isStreamed: boolean
  /** What to call the person; null: they are to say. */
  name: string | null
  /** Who says so; null: the person, who may say otherwise. `room`: it lets nobody change the name they came with. */
  nameSetBy: 'link' | 'account' | 'room' | null
  credentials: Credentials
}

export const clientOf = (credentials: Credentials): Client =>
  credentials.by === 'guest' ? guestApi(credentials.record.guestToken) : api

/** Uses the link. The key is kept until there is an answer, so that a lost one costs nothing. */
export const redeem = async (
  alias: string,
  link: Link,
  { isReusable, isNameOwn }: { isReusable: boolean; isNameOwn: boolean },
  name: string,
): Promise<GuestRecord> => {
  const attempt = attemptOf(link.hash) ?? { key: randomKey(), name, isNameOwn }
  keepAttempt(link.hash, attempt)
  try {
    const { guestToken, participantName } = await api.redeemAccess(
      { accessToken: link.accessToken, participantName: attempt.name },
      { idempotencyKey: attempt.key },
    )
    const record = { guestToken, name: participantName, link: isReusable && isNameOwn ? link : null, isNameOwn }
    keepGuest(alias, link.hash, record)
    return record
  } catch (error) {
    if (!isTransient(reasonOf(error)) && codeOf(error) !== 'idempotency_in_progress') forgetAttempt(link.hash)
    throw error
  }
}

/** The same guest under another name. Where the room has turned that off, they go on under the one they had. */
const rename = async (
  { alias, spaceId, roomId }: RoomAccess,
  record: GuestRecord,
  name: string,
): Promise<GuestRecord> => {
  try {
    const { participantName } = await guestApi(record.guestToken).renameGuest({
      spaceId,
      roomId,
      participantName: name,
    })
    const renamed = { ...record, name: participantName }
    keepName(alias, renamed)
    return renamed
  } catch (error) {
    if (codeOf(error) === 'renaming_off') return record
    throw error
  }
}

/** With what to join under this name: a link is used now, unless an earlier try has used it already. */
export const credentialsAs = async (access: RoomAccess, name: string): Promise<Credentials> => {
  const { alias, credentials } = access
  if (credentials.by === 'user') return credentials
  const record =
    credentials.by === 'guest'
      ? credentials.record
      : (guestOf(credentials.link.hash) ?? (await redeem(alias, credentials.link, credentials, name)))
  // An earlier try may have used the link under another name, even if its answer never came.
  const isSo = !isNameOwn(record) || record.name === name
  return { by: 'guest', record: isSo ? record : await rename(access, record, name) }
}
