import { kept, keptForTab } from '../ui/storage.ts'

/*
 * What the page keeps of a guest link. A one-time link is spent by the first use of it; the guest token that came from
 * it gets its bearer back in, so it is kept under the link's hash, and the link itself no longer than it is of use.
 */

export interface Link {
  accessToken: string
  hash: string
}

export interface GuestRecord {
  guestToken: string
  name: string
  /** Only of a link that can be used again and names nobody. */
  link: Link | null
  /** The guest typed it, and may change it. Records from before say so by their link alone. */
  isNameOwn?: boolean
}

export const isNameOwn = ({ isNameOwn, link }: GuestRecord) => isNameOwn ?? link !== null

interface Attempt {
  key: string
  name: string
  /** As of a guest. Attempts from before do not say so. */
  isNameOwn?: boolean
}

export interface Address {
  alias: string
  /** Of the page of those who watch without joining. */
  isLivePage: boolean
  accessToken: string | null
  participantName: string | null
}

/** Reads the address and takes out of it what is nobody else's business, before anything else is loaded. */
export const takeAddress = (): Address => {
  const url = new URL(location.href)
  const [, , encoded = '', page] = url.pathname.split('/')
  const alias = decodeURIComponent(encoded)
  const accessToken = url.searchParams.get('accessToken')
  const participantName = url.searchParams.get('participantName')
  if (accessToken !== null || participantName !== null) {
    url.searchParams.delete('accessToken')
    url.searchParams.delete('participantName')
    history.replaceState(history.state, '', url)
  }
  return { alias, isLivePage: page === 'live', accessToken, participantName: participantName?.trim() || null }
}

/** Random, and also to be had on a page without https. */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')

const hashOf = async (accessToken: string): Promise<string> => {
  // A page without https has no digest to offer, and nothing it keeps is a secret there anyway.
  if (!crypto.subtle) return accessToken
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(accessToken))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}

const read = <T>(text: string | null): T | null => {
  try {
    return text === null ? null : (JSON.parse(text) as T)
  } catch {
    return null
  }
}

const guestKey = (hash: string) => `lectern.guest.${hash}`
const attemptKey = (hash: string) => `lectern.redeem.${hash}`
const tabLinkKey = (alias: string) => `lectern.link.${alias}`
const lastLinkKey = (alias: string) => `lectern.room.${alias}`

/** The link of the address; after a reload, when it is no longer there, the one this tab came with. */
export const linkOfTab = async ({ alias, accessToken }: Address): Promise<Partial<Link>> => {
  if (accessToken === null) return read<Partial<Link>>(keptForTab.get(tabLinkKey(alias))) ?? {}
  const link = { accessToken, hash: await hashOf(accessToken) }
  keptForTab.set(tabLinkKey(alias), JSON.stringify(link))
  return link
}

/** It was none: without it in the address, the tab is as one that came with no link. */
export const forgetLinkOfTab = (alias: string) => keptForTab.remove(tabLinkKey(alias))

/** The tab came with no link, but this browser was in the room by one before. */
export const lastGuestOf = (alias: string): GuestRecord | null => {
  const hash = kept.get(lastLinkKey(alias))
  return hash ? guestOf(hash) : null
}

export const guestOf = (hash: string) => read<GuestRecord>(kept.get(guestKey(hash)))

export const keepGuest = (alias: string, hash: string, record: GuestRecord) => {
  kept.set(guestKey(hash), JSON.stringify(record))
  kept.set(lastLinkKey(alias), hash)
  keptForTab.set(tabLinkKey(alias), JSON.stringify(record.link ?? { hash }))
  kept.remove(attemptKey(hash))
}

/** Under another name. A tab that came without a link goes on as the last guest of the room. */
export const keepName = (alias: string, record: GuestRecord) => {
  const hash = read<Partial<Link>>(keptForTab.get(tabLinkKey(alias)))?.hash ?? kept.get(lastLinkKey(alias))
  if (hash) kept.set(guestKey(hash), JSON.stringify(record))
}

export const forgetGuest = (hash: string) => kept.remove(guestKey(hash))

/** A use of the link whose answer never came: it must be repeated exactly, or the link would be lost. */
export const attemptOf = (hash: string) => read<Attempt>(kept.get(attemptKey(hash)))
export const keepAttempt = (hash: string, attempt: Attempt) => kept.set(attemptKey(hash), JSON.stringify(attempt))
export const forgetAttempt = (hash: string) => kept.remove(attemptKey(hash))

const NAME = 'lectern.name'
export const rememberedName = () => kept.get(NAME)
export const rememberName = (name: string) => kept.set(NAME, name)
