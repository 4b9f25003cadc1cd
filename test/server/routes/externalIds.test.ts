import { beforeAll, describe, expect, test } from 'vitest'
import { callsByHand } from '../../support/calls.ts'
import { type Cast, createCast, refusals, tokenOf } from '../../support/cast.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'

/* What other systems know users, spaces and rooms by, and what they keep with them. */

let lectern: Lectern
let cast: Cast

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
})

const taken = [409, 'external_id_taken']
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)

describe('a room', () => {
  test('is found by its external id, which is its own within the space', async () => {
    const { owner, spaceId } = cast
    const { id: elsewhere } = await owner.createSpaces({ name: 'Elsewhere' })
    const metadata = { term: 'autumn', 'x.y-z_1': '' }
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', externalId: 'course/42', metadata })
    expect(await owner.getRoom({ spaceId, roomId })).toMatchObject({ externalId: 'course/42', metadata })
    await owner.createRooms({ spaceId: elsewhere, name: 'Room', externalId: 'course/42' })
    expect(await refusal(owner.createRooms({ spaceId, name: 'Other', externalId: 'course/42' }))).toEqual(taken)
    const { id: otherId } = await owner.createRooms({ spaceId, name: 'Other', externalId: 'Course/42' })
    expect(await refusal(owner.updateRoom({ spaceId, roomId: otherId, externalId: 'course/42' }))).toEqual(taken)
    expect(idsOf(await owner.listRooms({ spaceId, externalId: 'course/42' }))).toEqual([roomId])
    expect(idsOf(await owner.listRooms({ spaceId, externalId: 'course' }))).toEqual([])
    // Given up, it can be had by another; what a change leaves out stays.
    await owner.updateRoom({ spaceId, roomId, externalId: null })
    expect(await owner.updateRoom({ spaceId, roomId: otherId, externalId: 'course/42' })).toMatchObject({
      metadata: {},
    })
    expect(await owner.updateRoom({ spaceId, roomId, metadata: { only: 'this' } })).toMatchObject({
      externalId: null,
      metadata: { only: 'this' },
    })
    expect(await owner.updateRoom({ spaceId, roomId, metadata: {} })).toMatchObject({ name: 'Room', metadata: {} })
  })

  test('goes to one of many who create it at once', async () => {
    const { owner, spaceId } = cast
    const attempts = Array.from({ length: 8 }, () =>
      owner.createRooms({ spaceId, name: 'Raced', externalId: 'raced' }).then(
        ({ id }) => id,
        error => error.code,
      ),
    )
    const results = await Promise.all(attempts)
    expect(results.filter(result => result === 'external_id_taken')).toHaveLength(7)
    expect(results).toContain(idsOf(await owner.listRooms({ spaceId, externalId: 'raced' }))[0])
  })

  test('shows it to those who manage it, and to no one else', async () => {
    const { owner, moderator, member, spaceId } = cast
    const { id: roomId } = await owner.createRooms({
      spaceId,
      name: 'Room',
      isPublic: true,
      externalId: 'hidden',
      metadata: { a: 'b' },
    })
    const at = { spaceId, roomId }
    const link = (role: 'user' | 'moderator') => owner.generateAccess({ ...at, role, username: 'Guest' }).then(tokenOf)
    const guest = async (role: 'user' | 'moderator') =>
      lectern.withToken((await lectern.anonymous.redeemAccess({ accessToken: await link(role) })).guestToken)
    const seen = async (client: Lectern['anonymous']) => {
      const { externalId, metadata } = await client.getRoom(at)
      return [externalId, metadata]
    }
    for (const person of [owner, moderator]) expect(await seen(person)).toEqual(['hidden', { a: 'b' }])
    for (const client of [member, await guest('user'), await guest('moderator')])
      expect(await seen(client)).toEqual([undefined, undefined])
    const listed = await member.listRooms({ spaceId })
    expect(listed.items.find(({ id }) => id === roomId)).not.toHaveProperty('externalId')
    expect(JSON.stringify(listed)).not.toContain('hidden')
    expect(idsOf(await member.listRooms({ spaceId, externalId: 'hidden' }))).toEqual([])
    await owner.grantRole({ ...at, targetUserId: member.id, role: 'role_room_moderator' })
    expect(await seen(member)).toEqual(['hidden', { a: 'b' }])
  })

  test('says moderator of the role of its creator', async () => {
    const { owner, moderator, member, spaceId } = cast
    const { id: roomId } = await moderator.createRooms({ spaceId, name: 'Room', isPublic: true })
    const roles = await Promise.all([owner, moderator, member].map(person => person.getRoom({ spaceId, roomId })))
    expect(roles.map(({ role }) => role)).toEqual([null, 'role_room_moderator', null])
  })

  test('says when it was last changed, and not when nothing was', async () => {
    const { owner, spaceId } = cast
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const before = await owner.getRoom({ spaceId, roomId })
    expect(before.updatedAt).toBe(before.createdAt)
    lectern.advance(5000)
    expect(await owner.updateRoom({ spaceId, roomId, name: ' Room ' })).toEqual(before)
    const after = await owner.updateRoom({ spaceId, roomId, name: 'Renamed' })
    expect(Date.parse(after.updatedAt) - Date.parse(before.updatedAt)).toBeGreaterThanOrEqual(5000)
    expect(await owner.getRoom({ spaceId, roomId })).toEqual(after)
  })
})

describe('a space', () => {
  test('is found by its external id, which is its own among those of the owner', async () => {
    const [owner, other] = await Promise.all([lectern.user(), lectern.user()])
    const { id } = await owner.createSpaces({ name: 'Space', externalId: 'school', metadata: { a: 'b' } })
    expect(await owner.getSpace({ spaceId: id })).toMatchObject({ externalId: 'school', metadata: { a: 'b' } })
    expect(await refusal(owner.createSpaces({ name: 'Again', externalId: 'school' }))).toEqual(taken)
    const { id: otherId } = await other.createSpaces({ name: 'Space', externalId: 'school' })
    expect(idsOf(await owner.listSpaces({ externalId: 'school' }))).toEqual([id])
    // It can't be handed to someone who has one of that name.
    const { id: inviteId } = await owner.createInvite({ spaceId: id, role: 'role_space_moderator' })
    await other.activateInvite({ spaceId: id, inviteId })
    expect(idsOf(await other.listSpaces({ externalId: 'school' })).sort()).toEqual([id, otherId].sort())
    expect(await refusal(owner.setSpaceOwner({ spaceId: id, userId: other.id }))).toEqual(taken)
    expect((await owner.getSpace({ spaceId: id })).role).toBe('role_space_owner')
    await other.updateSpace({ spaceId: otherId, externalId: 'another' })
    await owner.setSpaceOwner({ spaceId: id, userId: other.id })
    await owner.createSpaces({ name: 'Again', externalId: 'school' })
    expect(await refusal(other.createSpaces({ name: 'Third', externalId: 'school' }))).toEqual(taken)
  })

  test('shows it to its owner and moderators alone', async () => {
    const { owner, moderator, member, spaceId } = cast
    await owner.updateSpace({ spaceId, externalId: 'secret', metadata: { a: 'b' } })
    for (const person of [owner, moderator])
      expect(await person.getSpace({ spaceId })).toMatchObject({ externalId: 'secret', metadata: { a: 'b' } })
    expect(await member.getSpace({ spaceId })).not.toHaveProperty('externalId')
    expect(JSON.stringify(await member.listSpaces())).not.toContain('secret')
    expect(idsOf(await member.listSpaces({ externalId: 'secret' }))).toEqual([])
  })
})

describe('a user', () => {
  test('has an external id from the operator, and is found by it or by the address', async () => {
    const { operator } = lectern
    const [person, other] = await Promise.all([lectern.user(), lectern.user()])
    const metadata = { class: '7b' }
    const changed = await operator.updateUser({
      userId: person.id,
      externalId: 'pupil:7',
      metadata,
      displayName: ' P ',
    })
    expect(changed).toMatchObject({ id: person.id, externalId: 'pupil:7', metadata, displayName: 'P' })
    expect(await operator.getUser({ userId: person.id })).toEqual(changed)
    expect(await person.getMe()).toEqual(changed)
    expect(await refusal(operator.updateUser({ userId: other.id, externalId: 'pupil:7' }))).toEqual(taken)
    expect(idsOf(await operator.listUsers({ externalId: 'pupil:7' }))).toEqual([person.id])
    expect(idsOf(await operator.listUsers({ email: changed.email.toUpperCase() }))).toEqual([person.id])
    expect(idsOf(await operator.listUsers({ email: changed.email.slice(1) }))).toEqual([])
    expect(idsOf(await operator.listUsers({ email: changed.email, q: changed.email }))).toEqual([person.id])
    expect(idsOf(await operator.listUsers({ email: changed.email, q: `${changed.email}x` }))).toEqual([])
    const userId = person.id
    expect(
      await refusals({
        read: other.getUser({ userId }),
        change: person.updateUser({ userId, externalId: 'mine' }),
        absent: operator.getUser({ userId: cast.spaceId }),
        none: operator.updateUser({ userId: cast.spaceId, externalId: 'x' }),
      }),
    ).toEqual([
      ['read', 403, 'not_allowed'],
      ['change', 403, 'not_allowed'],
      ['absent', 404, 'not_found'],
      ['none', 404, 'not_found'],
    ])
  })
})

test('what is too much or of another kind is refused, and nothing is kept', async () => {
  const { owner, spaceId } = cast
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', metadata: { kept: 'yes' } })
  const full = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`key${n}`, 'x'.repeat(500)]))
  await owner.updateRoom({ spaceId, roomId, metadata: full })
  const wrong: [unknown, string, string][] = [
    [{ metadata: { ...full, more: '' } }, '/metadata', 'too_many_items'],
    [{ metadata: { key: 1 } }, '/metadata/key', 'wrong_type'],
    [{ metadata: { key: null } }, '/metadata/key', 'wrong_type'],
    [{ metadata: { key: 'x'.repeat(501) } }, '/metadata/key', 'too_long'],
    [{ metadata: { key: 'a\0b' } }, '/metadata/key', 'pattern'],
    [{ metadata: { 'a b': '' } }, '/metadata', 'pattern'],
    [{ metadata: { ['k'.repeat(41)]: '' } }, '/metadata', 'pattern'],
    [{ metadata: null }, '/metadata', 'wrong_type'],
    [{ externalId: '' }, '/externalId', 'required'],
    [{ externalId: 'a b' }, '/externalId', 'pattern'],
    [{ externalId: 'ä' }, '/externalId', 'pattern'],
    [{ externalId: 'x'.repeat(129) }, '/externalId', 'pattern'],
  ]
  for (const [body, path, code] of wrong) {
    const answer = await lectern.request('PATCH', `/v1/spaces/${spaceId}/rooms/${roomId}`, { token: owner.token, body })
    const { status, body: problem } = answer as { status: number; body: { errors: object[] } }
    expect([body, status, problem.errors]).toEqual([
      body,
      400,
      expect.arrayContaining([expect.objectContaining({ path, code })]),
    ])
  }
  expect(await owner.getRoom({ spaceId, roomId })).toMatchObject({ externalId: null, metadata: full })
})

test('in a call, users see each other’s ids, moderators also those of other systems, guests none', async () => {
  const { owner, moderator, member, spaceId } = cast
  const byHand = await callsByHand(lectern)
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', isPublic: true })
  const at = { spaceId, roomId }
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', username: 'G', externalUserId: 'p7' }))
  const { guestToken, guestId } = await lectern.anonymous.redeemAccess({ accessToken })
  await byHand.tell('joined', roomId, await byHand.join(roomId, { userId: member.id }))
  await byHand.tell('joined', roomId, await byHand.join(roomId, { guestId }, 'p7'))
  const seen = async (client: Lectern['anonymous']) =>
    (await client.getLiveCall(at)).participants.map(({ userId, externalUserId }) => [userId, externalUserId])
  for (const person of [owner, moderator])
    expect(await seen(person)).toEqual([
      [member.id, null],
      [null, 'p7'],
    ])
  expect(await seen(member)).toEqual([
    [member.id, null],
    [null, null],
  ])
  expect(await seen(lectern.withToken(guestToken))).toEqual([
    [null, null],
    [null, null],
  ])
  const { items } = await owner.listCallParticipants(at)
  expect(items.map(({ userId, externalUserId }) => [userId, externalUserId])).toEqual(await seen(owner))
})
