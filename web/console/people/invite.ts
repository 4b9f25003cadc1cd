import { keptForTab } from '../../ui/storage.ts'
import type { InviteReference } from '../data/invites.ts'

const KEY = 'lectern.invite'

const parse = (text: string | null): InviteReference | null => {
  const [, spaceId, inviteId] = /^#([0-9a-f-]{36})\/([A-Za-z0-9_-]+)$/.exec(text ?? '') ?? []
  return spaceId && inviteId ? { spaceId, inviteId } : null
}

/**
 * The invite of the address, which is taken out of it at once: an address is shown, shared and remembered, and whoever
 * has the invite can join the space. A reload, or signing in on the way, does not lose it.
 */
export const takeInvite = (): InviteReference | null => {
  if (parse(location.hash)) {
    keptForTab.set(KEY, location.hash)
    history.replaceState(history.state, '', location.pathname)
  }
  return parse(keptForTab.get(KEY))
}

export const forgetInvite = () => keptForTab.remove(KEY)
