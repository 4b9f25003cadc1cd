import { beforeAll, describe, expect, test } from 'vitest'
import type { RoomRole } from '../../../contract/roles.ts'
import type { SpaceRole } from '../../../contract/spaces.ts'
import { callsByHand } from '../../support/calls.ts'
import { admit, type Cast, createCast, tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'

/* Lists that are filtered and sorted, in pages of any size. */

let lectern: Lectern
let byHand: Awaited<ReturnType<typeof callsByHand>>
let cast: Cast

beforeAll(async () => {
  lectern = await startLectern()
  byHand = await callsByHand(lectern)
  cast = await createCast(lectern)
})

interface Page<T> {
  items: T[]
  nextCursor: string | null
}

/** All items of a list, which must be the same in pages of every size. */
const whole = async <T>(list: (query: { limit: number; cursor?: string }) => Promise<Page<T>>): Promise<T[]> => {
  const inPagesOf = async (limit: number) => {
    const found: T[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await list({ limit, ...(cursor !== undefined && { cursor }) })
      found.push(...page.items)
      if (page.nextCursor === null) return found
      cursor = page.nextCursor
    }
  }
  const all = await inPagesOf(200)
  for (const limit of [1, 2, 3]) expect(await inPagesOf(limit)).toEqual(all)
  return all
}

/** Someone is in a call there. */
const startCall = async (roomId: string, owner: Person, at = Date.now()) => {
  const presence = { ...(await byHand.join(roomId, { userId: owner.id })), joinedAt: at }
  await byHand.tell('joined', roomId, presence)
  return presence
}

describe('rooms', () => {
  test('by type, by whether a call is live, and sorted, for who manages the space and who does not', async () => {
    const { owner, member, spaceId } = cast
    const names = ['Beta', 'alpha', 'Gamma', 'alpha', 'Ämne', 'Delta']
    const made: { id: string; name: string; type: 'lesson' | 'webinar' }[] = []
    for (const [n, name] of names.entries()) {
      const type = n % 2 === 0 ? 'lesson' : 'webinar'
      const { id } = await owner.createRooms({ spaceId, name, type, isPublic: n % 3 !== 0 })
      made.push({ id, name, type })
    }
    // Private ones they reach by a role.
    for (const { id: roomId } of made)
      await owner.grantRole({ spaceId, roomId, targetUserId: member.id, role: 'role_room_user' })
    for (const { id } of made.slice(1, 4)) await startCall(id, owner)
    const ids = (rooms: { id: string }[]) => rooms.map(({ id }) => id)
    const byName = made.toSorted((a, b) => {
      const [one, other] = [a, b].map(({ name }) => name.toLowerCase()) as [string, string]
      return one === other ? (a.id < b.id ? -1 : 1) : one < other ? -1 : 1
    })
    const isLive = ({ id }: { id: string }) => ids(made.slice(1, 4)).includes(id)
    for (const person of [owner, member]) {
      type Query = Omit<Parameters<typeof person.listRooms>[0], 'spaceId'>
      const list = async (query: Query) =>
        ids(await whole(page => person.listRooms({ spaceId, ...query, ...page }) as Promise<Page<{ id: string }>>))
      expect(await list({})).toEqual(ids(made.toReversed()))
      expect(await list({ sort: 'createdAt' })).toEqual(ids(made))
      expect(await list({ sort: 'name' })).toEqual(ids(byName))
      expect(await list({ sort: '-name' })).toEqual(ids(byName.toReversed()))
      for (const type of ['lesson', 'webinar'] as const) {
        const isOfType = (room: { type: string }) => room.type === type
        expect(await list({ type })).toEqual(ids(made.filter(isOfType).toReversed()))
        expect(await list({ type, sort: 'name' })).toEqual(ids(byName.filter(isOfType)))
        expect(await list({ type, live: 'true' })).toEqual(ids(made.filter(isOfType).filter(isLive).toReversed()))
      }
      expect(await list({ live: 'true', sort: 'createdAt' })).toEqual(ids(made.filter(isLive)))
      expect(await list({ live: 'false' })).toEqual(ids(made.filter(room => !isLive(room)).toReversed()))
      expect(await list({ q: 'AL', sort: '-name' })).toEqual(
        ids(byName.filter(({ name }) => name === 'alpha').toReversed()),
      )
      expect(await list({ q: 'al', live: 'true', type: 'webinar' })).toEqual(
        ids(byName.filter(room => room.name === 'alpha' && isLive(room))),
      )
    }
  })

  test('refuses what is no type, order or answer, and what does not go together', async () => {
    const { owner, spaceId } = cast
    for (const query of [
      'type=seminar',
      'live=1',
      'sort=id',
      'sort=',
      'q=a&sort=createdAt',
      'type=lesson&type=webinar',
    ]) {
      const { status } = await lectern.request('GET', `/v1/spaces/${spaceId}/rooms?${query}`, { token: owner.token })
      expect([query, status]).toEqual([query, 400])
    }
  })
})

describe('people', () => {
  test('members by role, in the order they joined or, searched for, by name', async () => {
    const owner = await lectern.user()
    const { id: spaceId } = await owner.createSpaces({ name: 'School' })
    await owner.updateMe({ displayName: 'Ada' })
    const people = [{ name: 'Ada', id: owner.id, role: 'role_space_owner' as SpaceRole }]
    for (const [name, role] of [
      ['Bo', 'role_space_user'],
      ['ann', 'role_space_moderator'],
      ['Ann', 'role_space_user'],
      ['Al', 'role_space_moderator'],
      ['anna', 'role_space_user'],
    ] as const) {
      const person = await lectern.user()
      await person.updateMe({ displayName: name })
      await admit(owner, spaceId, person, role)
      people.push({ name, id: person.id, role })
    }
    type Query = { q?: string; role?: SpaceRole }
    const list = async (query: Query) =>
      (
        await whole(
          page => owner.listMembers({ spaceId, ...query, ...page }) as Promise<Page<{ userId: string; role: string }>>,
        )
      ).map(({ userId }) => people.find(({ id }) => id === userId)?.name)
    const named = (role: SpaceRole) => people.filter(person => person.role === role).map(({ name }) => name)
    for (const role of ['role_space_owner', 'role_space_moderator', 'role_space_user'] as const)
      expect(await list({ role })).toEqual(named(role))
    expect(await list({ role: 'role_space_user', q: 'AN' })).toEqual(['Ann', 'anna'])
    expect(await list({ role: 'role_space_moderator', q: 'a' })).toEqual(['Al', 'ann'])
    expect(await list({ role: 'role_space_owner', q: 'b' })).toEqual([])
  })

  test('roles of a room', async () => {
    const { owner, moderator, member, stranger, spaceId } = cast
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const at = { spaceId, roomId }
    const roles = { [moderator.id]: 'role_room_user', [member.id]: 'role_room_moderator' } as const
    for (const [targetUserId, role] of Object.entries(roles)) await owner.grantRole({ ...at, targetUserId, role })
    await owner.grantRole({ ...at, targetUserId: stranger.id, role: 'role_room_user' })
    const list = async (role: RoomRole) =>
      (await whole(page => owner.listRoles({ ...at, role, ...page }) as Promise<Page<{ userId: string }>>)).map(
        ({ userId }) => userId,
      )
    expect(await list('role_room_user')).toEqual([moderator.id, stranger.id])
    expect(await list('role_room_moderator')).toEqual([member.id])
  })

  test('refuses what is no role there', async () => {
    const { owner, spaceId } = cast
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    for (const path of [
      'members?role=owner',
      'members?role=role_room_user',
      'members?role=',
      `rooms/${roomId}/roles?role=role_space_user`,
      `rooms/${roomId}/links?state=used`,
    ]) {
      const { status } = await lectern.request('GET', `/v1/spaces/${spaceId}/${path}`, { token: owner.token })
      expect([path, status]).toEqual([path, 400])
    }
  })
})

test('guest links that are open, and those that have ended', async () => {
  const { owner, spaceId } = cast
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
  const at = { spaceId, roomId }
  const labels = ['unused', 'of many', 'used by many', 'used', 'revoked', 'used and revoked', 'expired']
  for (const label of labels) {
    const isPermanent = label.includes('many')
    const link = await owner.generateAccess({ ...at, role: 'user', label, isPermanent })
    const [made] = (await owner.listLinks({ ...at, limit: 1 })).items
    if (label.startsWith('used'))
      await lectern.anonymous.redeemAccess({ accessToken: tokenOf(link), participantName: 'Guest' })
    if (label.endsWith('revoked')) await owner.revokeLink({ ...at, linkId: made?.id ?? '' })
    if (label === 'expired')
      await byHand.db
        .updateTable('links')
        .set({ expiresAt: Date.now() - 1000 })
        .where('id', '=', made?.id ?? '')
        .execute()
  }
  const list = async (state?: 'open' | 'ended') =>
    (
      await whole(
        page => owner.listLinks({ ...at, ...(state && { state }), ...page }) as Promise<Page<{ label: string }>>,
      )
    ).map(({ label }) => label)
  expect(await list()).toEqual(labels.toReversed())
  expect(await list('open')).toEqual(['used by many', 'of many', 'unused'])
  expect(await list('ended')).toEqual(['expired', 'used and revoked', 'revoked', 'used'])
})

describe('calls', () => {
  test('from and to a time, in either order, whenever they became known', async () => {
    const owner = await lectern.user()
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const now = Date.now()
    const minute = 60_000
    // The third was reported late: it began before the second.
    const starts = [5, 3, 4, 3, 1].map(minutes => now - minutes * minute)
    const calls: { id: string; startedAt: string; endedAt: string | null }[] = []
    for (const start of starts) {
      const presence = await startCall(roomId, owner, start)
      const [call] = (await owner.listCalls({ spaceId, roomId })).items
      if (call) calls.push(call)
      if (start === starts.at(-1)) break
      await byHand.tell('left', roomId, presence, start + 1000)
      await byHand.sweep()
    }
    expect(calls.map(({ startedAt }) => Date.parse(startedAt))).toEqual(starts)
    const inOrder = calls.toSorted((a, b) => {
      const [one, other] = [Date.parse(a.startedAt), Date.parse(b.startedAt)]
      return one - other || (a.id < b.id ? -1 : 1)
    })
    const ids = (of: { id: string }[]) => of.map(({ id }) => id)
    const at = (minutes: number) => new Date(now - minutes * minute).toISOString()
    type Query = { from?: string; to?: string; sort?: 'startedAt' | '-startedAt'; state?: 'live' | 'ended' }
    for (const list of [
      (query: Query) =>
        whole(page => owner.listCalls({ spaceId, roomId, ...query, ...page }) as Promise<Page<{ id: string }>>),
      (query: Query) =>
        whole(page => owner.listSpaceCalls({ spaceId, ...query, ...page }) as Promise<Page<{ id: string }>>),
    ]) {
      expect(ids(await list({ sort: 'startedAt' }))).toEqual(ids(inOrder))
      expect(ids(await list({ sort: '-startedAt' }))).toEqual(ids(inOrder.toReversed()))
      // From a time on, and before another.
      expect(ids(await list({ from: at(4), to: at(1) }))).toEqual(ids(inOrder.slice(1, 4).toReversed()))
      expect(ids(await list({ to: at(4), sort: 'startedAt' }))).toEqual(ids(inOrder.slice(0, 1)))
      expect(ids(await list({ from: at(3), state: 'live' }))).toEqual(ids(inOrder.slice(4)))
      expect(ids(await list({ from: at(3), state: 'ended', sort: 'startedAt' }))).toEqual(ids(inOrder.slice(2, 4)))
    }
    expect(ids((await owner.listSpaceCalls({ spaceId, q: 'ro', from: at(1) })).items)).toEqual(ids(inOrder.slice(4)))
    for (const start of ['1.5', '1e300', 'Infinity', 'now']) {
      const cursor = `${roomId}.${Buffer.from(start).toString('base64url')}`
      await owner.listSpaceCalls({ spaceId, sort: 'startedAt', cursor })
    }
    for (const query of ['from=yesterday', 'sort=endedAt', 'q=ro&sort=startedAt']) {
      const { status } = await lectern.request('GET', `/v1/spaces/${spaceId}/calls?${query}`, { token: owner.token })
      expect([query, status]).toEqual([query, 400])
    }
  })
})
