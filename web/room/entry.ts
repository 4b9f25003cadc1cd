import type { Client } from '../../client/client.ts'
import { accessAs, clientOf, type Entry } from './access.ts'
import { type Reason, reasonOf } from './closed/reasons.ts'
import { type Address, linkOfTab } from './link.ts'
import { tabKey } from './tab.ts'
import { account, guestLink, guestOfBefore, type Opened, returningGuest, type Way } from './ways.ts'

/** The ways in, in the order they are tried. Whoever comes by a link is let in by it, or not at all. */
const ways: Record<'withLink' | 'withoutLink', Way[]> = {
  withLink: [returningGuest, guestLink],
  withoutLink: [returningGuest, account, guestOfBefore],
}

/** Who is at the door, and by which way it is open to them; if by none, why the first was closed. */
export const open = async (address: Address): Promise<Opened> => {
  try {
    const { hash = null, accessToken } = await linkOfTab(address)
    const link = hash && accessToken ? { hash, accessToken } : null
    const reasons: Reason[] = []
    for (const way of ways[link ? 'withLink' : 'withoutLink']) {
      const opened = await way({ address, link, hash })
      if (opened && 'entry' in opened) return opened
      if (opened) reasons.push(opened.reason)
    }
    return { reason: reasons[0] ?? 'access_ended' }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

export interface Session {
  entry: Entry
  client: Client
  joined: Awaited<ReturnType<Client['joinRoom']>>
}

/** Uses the link if need be, and joins. Whoever has joined before, joins again. */
export const join = async (entry: Entry, name: string): Promise<Session> => {
  const access = await accessAs(entry, name)
  const client = clientOf(access)
  const { spaceId, roomId } = entry
  const joined = await client.joinRoom({ spaceId, roomId, tabKey: await tabKey() })
  const named =
    access.by === 'guest' ? { name: access.record.name, isNameFixed: access.record.link === null } : { name }
  return { entry: { ...entry, ...named, access }, client, joined }
}
