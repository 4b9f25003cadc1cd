import type { Client } from '../../client/client.ts'
import type { ParticipantRole } from '../../contract/calls.ts'
import type { RoomType } from '../../contract/rooms.ts'
import { anonymousApi, api, codeOf, guestApi, renewSession } from '../ui/api.ts'
import {
  attemptOf,
  forgetAttempt,
  forgetGuest,
  type GuestRecord,
  guestOf,
  keepAttempt,
  keepGuest,
  type Link,
  lastGuestOf,
  linkOfTab,
  randomKey,
  rememberedName,
  type takeAddress,
} from './link.ts'
import { isPassing, type Reason, reasonOf } from './reasons.ts'
import { tabKey } from './tab.ts'

/** Who is about to enter: by a link that is not used yet, as a guest who has used it, or with an account. */
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

export type Joined = Awaited<ReturnType<Client['joinRoom']>>

export interface Session {
  entry: Entry
  client: Client
  joined: Joined
}

export type Opened = { entry: Entry } | { reason: Reason }

type Address = ReturnType<typeof takeAddress>

export const clientOf = (access: Access): Client => (access.by === 'guest' ? guestApi(access.record.guestToken) : api)

/** As a guest of before; null when that has ended. */
const openAsGuest = async (alias: string, record: GuestRecord): Promise<Entry | null> => {
  const access: Access = { by: 'guest', record }
  try {
    const room = await clientOf(access).getRoomByAlias({ alias })
    if (room.entry !== 'open') return null
    return toEntry(alias, room, access, record.name, record.link === null)
  } catch (error) {
    if (codeOf(error) === 'token_invalid') return null
    throw error
  }
}

type FoundRoom = Awaited<ReturnType<Client['getRoomByAlias']>>

const toEntry = (alias: string, room: FoundRoom, access: Access, name: string, isNameFixed: boolean): Entry => ({
  alias,
  spaceId: room.spaceId,
  roomId: room.roomId,
  roomName: room.roomName ?? '',
  spaceName: room.spaceName ?? '',
  logo: room.logo,
  type: room.type,
  role: room.role ?? 'user',
  name,
  isNameFixed,
  access,
})

/** Looks at the link without using it. */
const openByLink = async (alias: string, link: Link, givenName: string | null): Promise<Entry> => {
  const {
    participantName,
    isPermanent,
    expiresAt: _,
    ...target
  } = await api.inspectAccess({
    accessToken: link.accessToken,
  })
  return {
    ...target,
    alias,
    name: participantName ?? givenName ?? rememberedName(),
    isNameFixed: participantName !== null,
    access: { by: 'link', link, mayRename: isPermanent && participantName === null },
  }
}

const openWithLink = async (address: Address, link: Link): Promise<Opened> => {
  const { alias } = address
  const record = guestOf(link.hash)
  if (record) {
    const entry = await openAsGuest(alias, record)
    if (entry) return { entry }
    forgetGuest(link.hash)
  }
  try {
    return { entry: await openByLink(alias, link, address.participantName) }
  } catch (error) {
    const reason = reasonOf(error)
    const attempt = attemptOf(link.hash)
    // It was we who used it, and the answer was lost.
    if (reason === 'link_used' && attempt) {
      const again = await openAsGuest(alias, await redeem(alias, link, false, attempt.name))
      if (again) return { entry: again }
    }
    // A room takes its links along.
    if (reason === 'room_gone') return { reason: (await isRoomGone(alias)) ? 'room_gone' : 'link_unknown' }
    // A token that is cut off or mistyped.
    if (codeOf(error) === 'invalid_request') return { reason: 'link_unknown' }
    return { reason }
  }
}

export const isRoomGone = async (alias: string) => {
  try {
    await anonymousApi.getRoomByAlias({ alias })
    return false
  } catch (error) {
    return codeOf(error) === 'not_found'
  }
}

const openWithAccount = async (alias: string): Promise<Opened> => {
  const look = () =>
    api.getRoomByAlias({ alias }).catch(error => {
      // The session has ended: the room may be looked at without one.
      if (codeOf(error) === 'token_invalid') return anonymousApi.getRoomByAlias({ alias })
      throw error
    })
  let room = await look()
  // An access token is short-lived, and gone when no page was open for a while: the session may still be there.
  if (room.entry !== 'open' && (await api.getSession()).id && (await renewSession())) room = await look()
  if (room.entry !== 'open') return { reason: room.entry }
  const { displayName } = await api.getMe()
  return { entry: toEntry(alias, room, { by: 'user' }, displayName, true) }
}

const openWhichever = async (address: Address): Promise<Opened> => {
  const { alias } = address
  const { hash, accessToken } = await linkOfTab(address)
  if (hash && accessToken) return openWithLink(address, { hash, accessToken })
  const record = hash ? guestOf(hash) : null
  const asBefore = record && (await openAsGuest(alias, record))
  if (asBefore) return { entry: asBefore }
  const opened = await openWithAccount(alias)
  if ('entry' in opened) return opened
  const last = lastGuestOf(alias)
  const asLast = last && (await openAsGuest(alias, last))
  if (asLast) return { entry: asLast }
  return hash ? { reason: 'access_ended' } : opened
}

/** Who is at the door, and whether it is open to them. */
export const openEntry = async (address: Address): Promise<Opened> => {
  try {
    return await openWhichever(address)
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

/** Uses the link. The key is kept until there is an answer, so that a lost one costs nothing. */
const redeem = async (alias: string, link: Link, mayRename: boolean, name: string): Promise<GuestRecord> => {
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

const admit = async ({ alias, access }: Entry, name: string): Promise<Access> => {
  if (access.by === 'user') return access
  const link = access.by === 'link' ? access.link : access.record.link
  const before = access.by === 'guest' ? access.record : guestOf(access.link.hash)
  // A link that was used in an earlier try, before the room itself could be entered, is not used again.
  if (before && (before.link === null || before.name === name)) return { by: 'guest', record: before }
  if (!link) return access
  const record = await redeem(alias, link, access.by === 'guest' || access.mayRename, name)
  return { by: 'guest', record }
}

export const joinAs = async (client: Client, { spaceId, roomId }: Entry): Promise<Joined> =>
  client.joinRoom({ spaceId, roomId, tabKey: await tabKey() })

/** Uses the link if need be, and joins. */
export const enter = async (entry: Entry, name: string): Promise<Session> => {
  const access = await admit(entry, name)
  const admitted: Entry = {
    ...entry,
    access,
    name,
    isNameFixed: access.by === 'guest' ? access.record.link === null : entry.isNameFixed,
  }
  const client = clientOf(access)
  return { entry: admitted, client, joined: await joinAs(client, admitted) }
}
