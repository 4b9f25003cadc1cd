import type { Client } from '../../client/client.ts'
import { anonymousApi, api, codeOf, renewSession } from '../ui/api.ts'
import { type Credentials, clientOf, type RoomAccess, redeem } from './access.ts'
import { isRoomGone, type Reason, type Refusal, reasonOf } from './closed/reasons.ts'
import {
  type Address,
  attemptOf,
  forgetGuest,
  forgetLinkOfTab,
  type GuestRecord,
  guestOf,
  isNameOwn,
  type Link,
  lastGuestOf,
  rememberedName,
} from './link.ts'

/** What the person arrives with: of a link that is used up, the hash alone is left. */
interface Arriving {
  address: Address
  link: Link | null
  hash: string | null
}

export type Opened = { access: RoomAccess } | Refusal

/** One way in: it opens, refuses, or does not apply (null). */
export type Way = (arriving: Arriving) => Promise<Opened | null>

type FoundRoom = Awaited<ReturnType<Client['getRoomByAlias']>>

const toAccess = (
  alias: string,
  room: FoundRoom,
  credentials: Credentials,
  name: string,
  nameSetBy: RoomAccess['nameSetBy'],
): RoomAccess => ({
  alias,
  spaceId: room.spaceId,
  roomId: room.roomId,
  roomName: room.roomName ?? '',
  spaceName: room.spaceName ?? '',
  logo: room.logo,
  type: room.type,
  role: room.role ?? 'user',
  recording: room.recording,
  isStreamed: room.isStreamed,
  name,
  nameSetBy,
  credentials,
})

/** As the guest that a link has made before; null when that has ended. */
const asGuest = async (alias: string, record: GuestRecord | null): Promise<Opened | null> => {
  if (!record) return null
  try {
    const room = await clientOf({ by: 'guest', record }).getRoomByAlias({ alias })
    if (room.entry !== 'open') return null
    const isOwn = isNameOwn(record) || room.isRenamingAllowed
    // They may have changed it in the call, or in another tab.
    const name = (isOwn && room.name) || record.name
    const credentials: Credentials = { by: 'guest', record: { ...record, name, isNameOwn: isOwn } }
    const nameSetBy = isOwn ? (room.isRenamingAllowed ? null : 'room') : 'link'
    return { access: toAccess(alias, room, credentials, name, nameSetBy) }
  } catch (error) {
    if (codeOf(error) === 'token_invalid') return null
    throw error
  }
}

/** The guest who has used this link in this browser. */
export const returningGuest: Way = async ({ address, link, hash }) => {
  if (!hash) return null
  const opened = await asGuest(address.alias, guestOf(hash))
  if (opened) return opened
  if (!link) return { reason: 'access_ended' }
  // It may be good for another guest.
  forgetGuest(hash)
  return null
}

/** The guest that was made by the last link to this room in this browser: the tab came without one. */
export const guestOfBefore: Way = ({ address: { alias } }) => asGuest(alias, lastGuestOf(alias))

/** Looks at the link without using it. */
export const guestLink: Way = async ({ address: { alias, participantName: givenName }, link }) => {
  if (!link) return null
  try {
    const found = await api.inspectAccess({ accessToken: link.accessToken })
    const { participantName, isPermanent, expiresAt: _, ...room } = found
    const name = participantName ?? givenName ?? rememberedName()
    const isNameOwn = participantName === null
    return {
      access: {
        ...room,
        alias,
        name,
        nameSetBy: isNameOwn ? null : 'link',
        credentials: { by: 'link', link, isReusable: isPermanent, isNameOwn },
      },
    }
  } catch (error) {
    const opened = await lostAnswer(error, alias, link)
    if (opened) return opened
    const reason = await reasonOfLink(error, alias)
    if (reason === 'link_unknown') forgetLinkOfTab(alias)
    return { reason }
  }
}

/** It was we who used the link, and the answer was lost. */
const lostAnswer = async (error: unknown, alias: string, link: Link): Promise<Opened | null> => {
  const attempt = attemptOf(link.hash)
  if (codeOf(error) !== 'link_used' || !attempt) return null
  const { name, isNameOwn = false } = attempt
  return asGuest(alias, await redeem(alias, link, { isReusable: false, isNameOwn }, name))
}

const reasonOfLink = async (error: unknown, alias: string): Promise<Reason> => {
  // A token that is cut off or mistyped.
  if (codeOf(error) === 'invalid_request') return 'link_unknown'
  const reason = reasonOf(error)
  // A room takes its links along.
  return reason === 'room_gone' && !(await isRoomGone(alias)) ? 'link_unknown' : reason
}

/** The role, or the membership of the space, of whoever is signed in. */
export const account: Way = async ({ address: { alias } }) => {
  const look = () =>
    api.getRoomByAlias({ alias }).catch(error => {
      // The session has ended: the room may be looked at without one.
      if (codeOf(error) === 'token_invalid') return anonymousApi.getRoomByAlias({ alias })
      throw error
    })
  let room = await look()
  // An access token is short-lived, and gone when no page was open for a while: the session may still be there.
  if (room.entry !== 'open') {
    const isSignedIn = (await api.getSession()).id !== null && (await renewSession())
    if (!isSignedIn) return { reason: room.entry }
    room = await look()
  }
  const { displayName } = await api.getMe()
  if (room.entry !== 'open') return { reason: 'no_access', signedInAs: displayName }
  return { access: toAccess(alias, room, { by: 'user' }, displayName, 'account') }
}
