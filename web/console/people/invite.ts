import type { InviteReference } from '../data/invites.ts'

const KEY = 'lectern.invite'

const parse = (text: string): InviteReference | null => {
  const [, spaceId, inviteId] = /^#?([0-9a-f-]{36})\/([A-Za-z0-9_-]+)$/.exec(text) ?? []
  return spaceId && inviteId ? { spaceId, inviteId } : null
}

/** Kept for this tab alone, so that a reload or a sign-in on the way does not lose it; where that is forbidden, for this page. */
let inMemory = ''
const keep = (text: string) => {
  inMemory = text
  try {
    sessionStorage.setItem(KEY, text)
  } catch {}
}
const recall = () => {
  try {
    return sessionStorage.getItem(KEY) ?? inMemory
  } catch {
    return inMemory
  }
}

/**
 * The invite of the address, which is taken out of it at once: an address is shown, shared and remembered, and whoever
 * holds the invite is admitted.
 */
export const takeInvite = (): InviteReference | null => {
  if (parse(location.hash)) {
    keep(location.hash)
    history.replaceState(history.state, '', location.pathname)
  }
  return parse(recall())
}

export const forgetInvite = () => keep('')
