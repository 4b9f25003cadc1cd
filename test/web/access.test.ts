import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RoomAccess } from '../../web/room/access.ts'

const link = { accessToken: 'token', hash: 'hash of the token' }
const room = { alias: 'abc-defg-hjk', spaceId: '1', roomId: '2', entry: 'open', isRenamingAllowed: true }

/** Of the service, which uses the link once, whether or not the answer arrives. */
let guest: { name: string } | null
let isLost: boolean

const answer = async (input: string | URL | Request, init?: RequestInit) => {
  const request = new Request(input, init)
  const { pathname } = new URL(request.url)
  if (pathname === `/v1/rooms/${room.alias}`) return Response.json(room)
  if (pathname === '/v1/access/inspect') return Response.json({ code: 'link_used' }, { status: 410 })
  const { participantName } = await request.json()
  if (pathname === '/v1/access/redeem') guest ??= { name: participantName }
  else if (guest) guest.name = participantName
  if (isLost) throw new TypeError('Failed to fetch')
  return Response.json({ guestToken: 'of a guest', participantName: guest?.name })
}

const storage = () => {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

beforeEach(() => {
  guest = null
  isLost = true
  vi.stubGlobal('location', new URL('http://localhost:8080'))
  vi.stubGlobal('localStorage', storage())
  vi.stubGlobal('sessionStorage', storage())
  vi.stubGlobal('fetch', answer)
})
afterEach(() => vi.unstubAllGlobals())

/** Presses Join, under this name, with a link that can be used once and has none. */
const join = async (name: string) => {
  const { credentialsAs } = await import('../../web/room/access.ts')
  const credentials = { by: 'link', link, isReusable: false, isNameOwn: true } as const
  return credentialsAs({ ...room, credentials } as unknown as RoomAccess, name)
}

test('the name typed last counts, also when an earlier try has used the link', async () => {
  await expect(join('Grase')).rejects.toThrow()
  expect(guest?.name).toBe('Grase')
  isLost = false
  expect(await join('Grace')).toMatchObject({ by: 'guest', record: { name: 'Grace' } })
  expect(guest?.name).toBe('Grace')
})

test('a name that the room does not let them change is kept, and told', async () => {
  isLost = false
  await join('Grace')
  vi.stubGlobal('fetch', async () => Response.json({ code: 'renaming_off' }, { status: 403 }))
  const { join: joinCall } = await import('../../web/room/entry.ts')
  const access = { ...room, credentials: { by: 'link', link, isReusable: false, isNameOwn: true } }
  expect(await joinCall(access as unknown as RoomAccess, 'Somebody', 'ask')).toEqual({ keptName: 'Grace' })
})

test('the name stays theirs to change, also when the page was reloaded before the answer came', async () => {
  await expect(join('Grase')).rejects.toThrow()
  isLost = false
  const { guestLink } = await import('../../web/room/ways.ts')
  const address = { alias: room.alias, isLivePage: false, accessToken: null, participantName: null }
  const opened = await guestLink({ address, link, hash: link.hash })
  expect(opened).toMatchObject({ access: { name: 'Grase', nameSetBy: null } })
})
