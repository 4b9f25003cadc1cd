import { beforeAll, describe, expect, test } from 'vitest'
import { admit, type Cast, createCast, DAY, MINUTE, newClientToken, newToken } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast
let owner: Person
let spaceId: string

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
  ;({ owner, spaceId } = cast)
})

let count = 0
const newKey = () => ({ idempotencyKey: `key-${++count}` })
const spacesOf = async (person: Person) => (await person.listSpaces({ limit: 200 })).items.length
const roomsIn = async (id: string) => (await owner.listRooms({ spaceId: id, limit: 200 })).items.length

describe('createSpaces', () => {
  test('the same key and body get the same answer, and there is one space', async () => {
    const before = await spacesOf(owner)
    const key = newKey()
    const first = await owner.createSpaces({ name: 'Space' }, key)
    expect(await owner.createSpaces({ name: 'Space' }, key)).toEqual(first)
    expect(await spacesOf(owner)).toBe(before + 1)
    expect(await owner.createSpaces({ name: 'Space' }, newKey())).not.toEqual(first)
    expect(await owner.createSpaces({ name: 'Space' })).not.toEqual(first)
  })

  test('another body is refused and makes nothing', async () => {
    const key = newKey()
    await owner.createSpaces({ name: 'Space' }, key)
    const before = await spacesOf(owner)
    expect(await refusal(owner.createSpaces({ name: 'Another' }, key))).toEqual([422, 'idempotency_mismatch'])
    expect(await spacesOf(owner)).toBe(before)
  })

  test('a key belongs to the person: another token of theirs gets the same answer, another person does not', async () => {
    const key = newKey()
    const first = await owner.createSpaces({ name: 'Space' }, key)
    const elsewhere = lectern.withToken(await newToken(lectern, owner))
    expect(await elsewhere.createSpaces({ name: 'Space' }, key)).toEqual(first)
    const other = await cast.stranger.createSpaces({ name: 'Space' }, key)
    expect(other).not.toEqual(first)
    expect((await cast.stranger.getSpace({ spaceId: other.id })).role).toBe('role_space_owner')
  })

  test('of racing twins one creates; the others get its answer or are told that it is running', async () => {
    const before = await spacesOf(owner)
    const key = newKey()
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => owner.createSpaces({ name: 'Space' }, key)),
    )
    const ids = new Set<string>()
    for (const result of results)
      if (result.status === 'fulfilled') ids.add(result.value.id)
      else expect([result.reason.status, result.reason.code]).toEqual([409, 'idempotency_in_progress'])
    expect(ids.size).toBe(1)
    expect(await spacesOf(owner)).toBe(before + 1)
    expect(ids).toContain((await owner.createSpaces({ name: 'Space' }, key)).id)
  })

  test('a request that failed leaves the key free', async () => {
    const key = newKey()
    expect(await refusal(owner.createSpaces({ name: ' ' }, key))).toEqual([400, 'invalid_request'])
    await owner.createSpaces({ name: 'Space' }, key)
  })

  test('text/plain and JSON are the same request', async () => {
    const key = 'plain-and-json'
    const first = await owner.createSpaces({ name: 'Space' }, { idempotencyKey: key })
    const { status, body } = await lectern.request('POST', '/v1/spaces', {
      token: owner.token,
      headers: { 'content-type': 'text/plain', 'idempotency-key': key },
      raw: '{ "name": "Space" }',
    })
    expect([status, body]).toEqual([200, first])
  })
})

describe('createRooms', () => {
  test('the same key and body get the same answer, and there is one room', async () => {
    const before = await roomsIn(spaceId)
    const key = newKey()
    const first = await owner.createRooms({ spaceId, name: 'Room' }, key)
    expect(await owner.createRooms({ spaceId, name: 'Room' }, key)).toEqual(first)
    expect(await refusal(owner.createRooms({ spaceId, name: 'Room', isPublic: true }, key))).toEqual([
      422,
      'idempotency_mismatch',
    ])
    expect(await roomsIn(spaceId)).toBe(before + 1)
  })

  test('the same key in another space, or for another operation, is another request', async () => {
    const { id: other } = await owner.createSpaces({ name: 'Other' })
    const key = newKey()
    const first = await owner.createRooms({ spaceId, name: 'Same' }, key)
    expect((await owner.createRooms({ spaceId: other, name: 'Same' }, key)).id).not.toBe(first.id)
    await owner.createSpaces({ name: 'Same' }, key)
    expect(await roomsIn(other)).toBe(1)
  })

  test('of racing twins one creates', async () => {
    const { id: other } = await owner.createSpaces({ name: 'Other' })
    const key = newKey()
    await Promise.allSettled(Array.from({ length: 8 }, () => owner.createRooms({ spaceId: other, name: 'Room' }, key)))
    expect(await roomsIn(other)).toBe(1)
  })

  test('who has been removed since gets no answer any more', async () => {
    const { id: other } = await owner.createSpaces({ name: 'Other' })
    await admit(owner, other, cast.moderator, 'role_space_moderator')
    const key = newKey()
    await cast.moderator.createRooms({ spaceId: other, name: 'Room' }, key)
    await owner.removeMember({ spaceId: other, userId: cast.moderator.id })
    expect(await refusal(cast.moderator.createRooms({ spaceId: other, name: 'Room' }, key))).toEqual([404, 'not_found'])
  })
})

describe('grantRole', () => {
  test('the same key and body get the same answer and do nothing again', async () => {
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const grant = { spaceId, roomId, targetUserId: cast.member.id, role: 'role_room_user' } as const
    const key = newKey()
    const first = await owner.grantRole(grant, key)
    expect(await owner.grantRole(grant, key)).toEqual(first)
    expect(await refusal(owner.grantRole({ ...grant, role: 'role_room_moderator' }, key))).toEqual([
      422,
      'idempotency_mismatch',
    ])
    await owner.revokeRole({ spaceId, roomId, userId: cast.member.id })
    expect(await owner.grantRole(grant, key)).toEqual(first)
    expect((await owner.listRoles({ spaceId, roomId })).items).toEqual([])
  })
})

describe('activateInvite', () => {
  test('a repeated activation gets the same answer, where another is refused', async () => {
    const { id: other } = await owner.createSpaces({ name: 'Other' })
    const { id: inviteId } = await owner.createInvite({ spaceId: other, role: 'role_space_moderator' })
    const key = newKey()
    const first = await cast.stranger.activateInvite({ spaceId: other, inviteId }, key)
    expect(first).toEqual({ spaceId: other, role: 'role_space_moderator' })
    expect(await cast.stranger.activateInvite({ spaceId: other, inviteId }, key)).toEqual(first)
    const { status, body } = await lectern.request('POST', `/v1/spaces/${other}/invites/${inviteId}/activate`, {
      token: cast.stranger.token,
      headers: { 'idempotency-key': key.idempotencyKey },
    })
    expect([status, body]).toEqual([200, first])
    const refused = [410, 'invite_used']
    expect(await refusal(cast.stranger.activateInvite({ spaceId: other, inviteId }))).toEqual(refused)
    expect(await refusal(cast.stranger.activateInvite({ spaceId: other, inviteId }, newKey()))).toEqual(refused)
    expect(await refusal(cast.member.activateInvite({ spaceId: other, inviteId }, key))).toEqual(refused)
  })

  test('of racing twins one activates, and none is told that the invite was used', async () => {
    const { id: other } = await owner.createSpaces({ name: 'Other' })
    const { id: inviteId } = await owner.createInvite({ spaceId: other, role: 'role_space_user' })
    const key = newKey()
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, () => cast.stranger.activateInvite({ spaceId: other, inviteId }, key)),
    )
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason.code).toBe('idempotency_in_progress')
  })
})

describe('the other creations', () => {
  test('give the same answer too', async () => {
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const person = { email: 'twice@example.com', username: 'twice', password: 'a good password' }
    for (const create of [
      (key: { idempotencyKey: string }) => owner.createUser(person, key),
      (key: { idempotencyKey: string }) => owner.createInvite({ spaceId, role: 'role_space_user' }, key),
      (key: { idempotencyKey: string }) => owner.generateAccess({ spaceId, roomId, role: 'user' }, key),
      (key: { idempotencyKey: string }) => owner.createClient({ name: 'Client' }, key),
    ]) {
      const key = newKey()
      const first = await create(key)
      expect(await create(key)).toEqual(first)
    }
    expect((await owner.listLinks({ spaceId, roomId })).items).toHaveLength(1)
    expect((await owner.listClients()).items).toHaveLength(1)
  })

  test('a key is the person’s with a client token as well', async () => {
    const client = lectern.withToken((await newClientToken(lectern, owner)).token)
    const key = newKey()
    const first = await owner.createInvite({ spaceId, role: 'role_space_user' }, key)
    expect(await client.createInvite({ spaceId, role: 'role_space_user' }, key)).toEqual(first)
  })

  test('registering with an invite', async () => {
    const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
    const key = newKey()
    const person = { email: 'invited@example.com', username: 'invited', password: 'a good password' }
    const first = await lectern.anonymous.registerWithInvite({ spaceId, inviteId, ...person }, key)
    expect(await lectern.anonymous.registerWithInvite({ spaceId, inviteId, ...person }, key)).toEqual(first)
  })
})

describe('a key', () => {
  test('counts for 24 hours', async () => {
    const key = newKey()
    const first = await owner.createSpaces({ name: 'Space' }, key)
    lectern.advance(DAY - MINUTE)
    expect(await owner.createSpaces({ name: 'Space' }, key)).toEqual(first)
    lectern.advance(MINUTE + 1000)
    const second = await owner.createSpaces({ name: 'Another body' }, key)
    expect(second).not.toEqual(first)
    expect(await owner.createSpaces({ name: 'Another body' }, key)).toEqual(second)
  })
})
