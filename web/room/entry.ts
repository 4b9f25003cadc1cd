import type { Client, RequestOptions } from '../../client/client.ts'
import { clientOf, credentialsAs, type RoomAccess } from './access.ts'
import { type Refusal, reasonOf } from './closed/reasons.ts'
import { type Address, isNameOwn, linkOfTab } from './link.ts'
import { keepQuiet } from './quiet.ts'
import { tabKey } from './tab.ts'
import { account, guestLink, guestOfBefore, type Opened, returningGuest, type Way } from './ways.ts'

/** The ways in, in the order they are tried. With a link, only the link counts. */
const ways: Record<'withLink' | 'withoutLink', Way[]> = {
  withLink: [returningGuest, guestLink],
  withoutLink: [returningGuest, account, guestOfBefore],
}

/** Finds the way by which the person has access to the room; if there is none, why the first one was refused. */
export const open = async (address: Address): Promise<Opened> => {
  try {
    const { hash = null, accessToken } = await linkOfTab(address)
    const link = hash && accessToken ? { hash, accessToken } : null
    const refusals: Refusal[] = []
    for (const way of ways[link ? 'withLink' : 'withoutLink']) {
      const opened = await way({ address, link, hash })
      if (opened && 'access' in opened) return opened
      if (opened) refusals.push(opened)
    }
    return refusals[0] ?? { reason: 'access_ended' }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

type Answer = Awaited<ReturnType<Client['joinRoom']>>

/** A call that has been joined. */
export interface JoinedCall {
  access: RoomAccess
  client: Client
  joined: Extract<Answer, { state: 'admitted' }>
}

/** What to do if the person is in the call through another tab or device. */
export type Presence = 'ask' | 'switch' | 'beside'

/** A moderator has to let the person in first. */
export interface AskedToJoin {
  access: RoomAccess
  /** By which the moderator sees them. */
  name: string
  presence: Presence
}

export const isJoined = (answer: JoinedCall | AskedToJoin): answer is JoinedCall => 'joined' in answer

/** The room has turned off changing names meanwhile: the person is asked whether to join under the one they had. */
export interface NameKept {
  keptName: string
}

/** Uses the link if need be, and joins, or asks to. Whoever has joined before, joins again. */
export const join = async (
  access: RoomAccess,
  name: string,
  presence: Presence,
): Promise<JoinedCall | AskedToJoin | NameKept> => {
  const credentials = await credentialsAs(access, name)
  if (credentials.by !== 'guest') return joinAs({ ...access, name, credentials }, presence)
  const { record } = credentials
  if (!isNameOwn(record)) return joinAs({ ...access, name: record.name, nameSetBy: 'link', credentials }, presence)
  if (record.name !== name) return { keptName: record.name }
  return joinAs({ ...access, name, credentials }, presence)
}

/** With what the person has used already. */
export const joinAs = async (
  access: RoomAccess,
  presence: Presence,
  options?: RequestOptions,
): Promise<JoinedCall | AskedToJoin> => {
  const client = clientOf(access.credentials)
  const { spaceId, roomId } = access
  const joined = await client.joinRoom({ spaceId, roomId, tabKey: await tabKey(), presence }, options)
  if (joined.state === 'waiting') return { access, name: joined.name, presence }
  if (presence !== 'ask') keepQuiet(roomId, presence === 'beside')
  return { access, client, joined }
}
