import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { admit, type Cast, createCast, newClientToken, tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast
let creator: Person
let roomUser: Person
let outsider: Person
const places: Record<string, { spaceId: string; roomId: string; guest: Client }> = {}

/* Without a media engine, whoever may join is told 503 media_off, and nobody else is. */
beforeAll(async () => {
  lectern = await startLectern()
  ;[cast, creator, roomUser, outsider] = await Promise.all([
    createCast(lectern),
    lectern.user(),
    lectern.user(),
    lectern.user(),
  ])
  const { owner, moderator, member } = cast
  for (const space of ['public', 'private'])
    for (const room of ['public', 'private']) {
      const { id: spaceId } = await owner.createSpaces({ name: 'Space', isPublic: space === 'public' })
      await admit(owner, spaceId, moderator, 'role_space_moderator')
      await admit(owner, spaceId, creator, 'role_space_moderator')
      await admit(owner, spaceId, member)
      await admit(owner, spaceId, roomUser)
      const { id: roomId } = await creator.createRooms({ spaceId, name: 'Room', isPublic: room === 'public' })
      for (const { id: targetUserId } of [roomUser, outsider])
        await owner.grantRole({ spaceId, roomId, targetUserId, role: 'role_room_user' })
      const accessToken = tokenOf(await creator.generateAccess({ spaceId, roomId, role: 'user', username: 'Guest' }))
      const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken })
      places[`${space}, ${room}`] = { spaceId, roomId, guest: lectern.withToken(guestToken) }
    }
})

const place = (which: string) => {
  const found = places[which]
  if (!found) throw new Error(`there is no place "${which}"`)
  return found
}

const yes = [503, 'media_off']
const role = [403, 'role_required']
const invite = [403, 'invite_required']
const unseen = [404, 'not_found']

describe('join', () => {
  test.each([
    // space, room       stranger member moderator owner creator roomUser outsider guest
    ['public, public', [yes, yes, yes, yes, yes, yes, yes, yes]],
    ['public, private', [role, role, yes, yes, yes, yes, yes, yes]],
    ['private, public', [unseen, yes, yes, yes, yes, yes, invite, yes]],
    ['private, private', [unseen, role, yes, yes, yes, yes, invite, yes]],
  ])('%s', async (which, expected) => {
    const { spaceId, roomId, guest } = place(which)
    const { stranger, member, moderator, owner } = cast
    const answers = await Promise.all(
      [stranger, member, moderator, owner, creator, roomUser, outsider, guest].map(person =>
        refusal(person.joinRoom({ spaceId, roomId })),
      ),
    )
    expect(answers).toEqual(expected)
  })

  test('an invite opens what a role alone did not, and the other way round', async () => {
    const { spaceId, roomId } = place('private, private')
    const user = await lectern.user()
    expect(await refusal(user.joinRoom({ spaceId, roomId }))).toEqual(unseen)
    await cast.owner.grantRole({ spaceId, roomId, targetUserId: user.id, role: 'role_room_moderator' })
    expect(await refusal(user.joinRoom({ spaceId, roomId }))).toEqual(invite)
    await admit(cast.owner, spaceId, user)
    expect(await refusal(user.joinRoom({ spaceId, roomId }))).toEqual(yes)
    await cast.owner.revokeRole({ spaceId, roomId, userId: user.id })
    expect(await refusal(user.joinRoom({ spaceId, roomId }))).toEqual(role)
  })

  test('takes no body, an empty one, or a tabKey', async () => {
    const { spaceId, roomId } = place('public, public')
    const path = `/v1/spaces/${spaceId}/rooms/${roomId}/join`
    const { token } = cast.owner
    for (const sent of [{}, { body: {} }, { body: { tabKey: 'abcdefgh' } }])
      expect((await lectern.request('POST', path, { token, ...sent })).status).toBe(503)
    for (const body of [{ tabKey: 1 }, { tabkey: 'abcdefgh' }])
      expect((await lectern.request('POST', path, { token, body })).status).toBe(400)
  })

  test('needs the token of a user or a guest', async () => {
    const { spaceId, roomId } = place('public, public')
    expect(await refusal(lectern.anonymous.joinRoom({ spaceId, roomId }))).toEqual([401, 'token_required'])
    const client = lectern.withToken((await newClientToken(lectern, cast.owner)).token)
    expect(await refusal(client.joinRoom({ spaceId, roomId }))).toEqual([403, 'user_token_required'])
  })

  test('finds no room that is not there, and none by the space of another', async () => {
    const [one, two] = [place('public, public'), place('public, private')]
    for (const at of [
      { spaceId: one.spaceId, roomId: two.roomId },
      { spaceId: one.spaceId, roomId: one.spaceId },
      { spaceId: one.spaceId, roomId: 'abc-defg-hjk' },
      { spaceId: 'x', roomId: one.roomId },
    ])
      expect(await refusal(cast.owner.joinRoom(at))).toEqual(unseen)
  })
})
