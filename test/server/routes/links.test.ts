import { beforeAll, describe, expect, test } from 'vitest'
import type { NewLink } from '../../../contract/links.ts'
import { type Cast, createCast, DAY, HOUR, MINUTE, newToken, refusals, tokenOf } from '../../support/cast.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast
let spaceId: string
let roomId: string
let alias: string
let clock = 0

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
  spaceId = cast.spaceId
  // By the space moderator: the owner is neither creator nor moderator of the room.
  ;({ id: roomId, alias } = await cast.moderator.createRooms({ spaceId, name: 'Room', type: 'webinar' }))
})

const advance = (milliseconds: number) => {
  clock += milliseconds
  lectern.advance(milliseconds)
}
const link = async (fields: Partial<NewLink> = {}) =>
  tokenOf(await cast.moderator.generateAccess({ spaceId, roomId, role: 'user', ...fields }))
const inspect = (accessToken: string) => lectern.anonymous.inspectAccess({ accessToken })
const redeem = (accessToken: string, participantName?: string, idempotencyKey?: string) =>
  lectern.anonymous.redeemAccess(
    { accessToken, ...(participantName !== undefined && { participantName }) },
    idempotencyKey ? { idempotencyKey } : {},
  )
const newest = async () => {
  const [item] = (await cast.moderator.listLinks({ spaceId, roomId, limit: 1 })).items
  if (!item) throw new Error('there is no link')
  return item
}
const seconds = (item: { createdAt: string; expiresAt: string }) =>
  (Date.parse(item.expiresAt) - Date.parse(item.createdAt)) / 1000

describe('generateAccess', () => {
  test('answers exactly the url, with both parameters encoded', async () => {
    const username = 'Ада & Grace=1?#+%'
    const answer = await cast.moderator.generateAccess({ spaceId, roomId, role: 'user', username })
    expect(Object.keys(answer)).toEqual(['url'])
    const url = new URL(answer.url)
    expect(url.origin).toBe(lectern.url)
    expect(url.pathname).toBe(`/room/${alias}`)
    expect([...url.searchParams.keys()].sort()).toEqual(['accessToken', 'participantName'])
    expect(url.searchParams.get('participantName')).toBe(username)
    expect(url.searchParams.get('accessToken')).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(url.hash).toBe('')
    expect(answer.url).toMatch(/^[\x21-\x7e]+$/)
  })

  test('without a username the url has no participantName', async () => {
    const { url } = await cast.moderator.generateAccess({ spaceId, roomId, role: 'user' })
    expect([...new URL(url).searchParams.keys()]).toEqual(['accessToken'])
  })

  test('the link lives 24 hours and is for one use unless told otherwise', async () => {
    await link()
    const item = await newest()
    expect(item).toEqual({
      id: expect.any(String),
      label: null,
      role: 'user',
      username: null,
      externalUserId: null,
      isPermanent: false,
      createdBy: cast.moderator.id,
      createdByName: cast.moderator.username,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: item.createdAt,
      expiresAt: expect.stringMatching(/Z$/),
      usedAt: null,
      revokedAt: null,
      isActive: true,
      isUsable: true,
      isCopyable: true,
    })
    expect(seconds(item)).toBe(86_400)
  })

  test('keeps what it is given', async () => {
    const given = { role: 'moderator', username: 'Grace', externalUserId: 'Student42', isPermanent: true } as const
    await link({ ...given, username: ' Grace ', ttl: 60 })
    const item = await newest()
    expect(item).toMatchObject(given)
    expect(seconds(item)).toBe(60)
  })

  test.each([1, 31_536_000])('takes a ttl of %i', async ttl => {
    await link({ ttl })
    expect(seconds(await newest())).toBe(ttl)
  })

  test.each([
    {},
    { role: 'role_room_user' },
    { role: 'user', ttl: 0 },
    { role: 'user', ttl: -1 },
    { role: 'user', ttl: 31_536_001 },
    { role: 'user', ttl: 1.5 },
    { role: 'user', ttl: '60' },
    { role: 'user', ttl: null },
    { role: 'user', isPermanent: 'true' },
    { role: 'user', username: '' },
    { role: 'user', username: ' ' },
    { role: 'user', username: 'x'.repeat(201) },
    { role: 'user', externalUserId: '' },
    { role: 'user', externalUserId: 'a-b' },
    { role: 'user', externalUserId: 'ä' },
    { role: 'user', externalUserId: 'x'.repeat(129) },
    { role: 'user', participantName: 'Grace' },
  ])('refuses %j and makes no link', async body => {
    const before = await newest()
    const path = `/v1/spaces/${spaceId}/rooms/${roomId}/generate-access`
    const answer = await lectern.request('POST', path, { token: cast.moderator.token, body })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    expect(await newest()).toEqual(before)
  })

  test('an externalUserId may have 128 characters', async () => {
    await link({ externalUserId: 'x'.repeat(128) })
  })

  test('is for the room creator and room moderators only: not for the owner, nor a space moderator', async () => {
    const { owner, moderator, member, stranger } = cast
    await owner.grantRole({ spaceId, roomId, targetUserId: member.id, role: 'role_room_user' })
    const { id: linkId } = await newest()
    for (const person of [owner, member]) {
      const refused = await refusals([
        person.generateAccess({ spaceId, roomId, role: 'user' }),
        person.listLinks({ spaceId, roomId }),
        person.revokeLink({ spaceId, roomId, linkId }),
      ])
      for (const [which, ...answer] of refused) expect([which, ...answer]).toEqual([which, 403, 'not_allowed'])
    }
    const { id: ownersRoom } = await owner.createRooms({ spaceId, name: 'Room' })
    expect(await refusal(moderator.generateAccess({ spaceId, roomId: ownersRoom, role: 'user' }))).toEqual([
      403,
      'not_allowed',
    ])
    expect(await refusal(stranger.generateAccess({ spaceId, roomId, role: 'user' }))).toEqual([404, 'not_found'])
    for (const person of [owner, stranger]) {
      await moderator.grantRole({ spaceId, roomId, targetUserId: person.id, role: 'role_room_moderator' })
      await person.generateAccess({ spaceId, roomId, role: 'user' })
      await moderator.revokeRole({ spaceId, roomId, userId: person.id })
    }
  })
})

describe('inspecting', () => {
  test('tells where the link leads, and does not spend it', async () => {
    const accessToken = await link({ username: 'Grace', role: 'moderator' })
    for (let i = 0; i < 3; i++)
      expect(await inspect(accessToken)).toEqual({
        spaceId,
        roomId,
        alias,
        roomName: 'Room',
        spaceName: 'Space',
        logo: null,
        type: 'webinar',
        role: 'moderator',
        participantName: 'Grace',
        isPermanent: false,
        recording: null,
        isStreamed: false,
        expiresAt: expect.stringMatching(/Z$/),
      })
    expect((await newest()).usedAt).toBeNull()
    await redeem(accessToken)
  })

  test('a GET never spends a link', async () => {
    const { url } = await cast.moderator.generateAccess({ spaceId, roomId, role: 'user', username: 'Grace' })
    const { pathname, search } = new URL(url)
    await lectern.request('GET', pathname + search)
    await lectern.request('GET', `/v1/access/redeem${search}`)
    await lectern.request('GET', `/v1/access/inspect${search}`)
    await redeem(tokenOf({ url }))
  })

  test('a link that is not there is not found', async () => {
    for (const accessToken of ['x', 'A'.repeat(43)]) {
      expect(await refusal(inspect(accessToken))).toEqual([404, 'not_found'])
      expect(await refusal(redeem(accessToken, 'Grace'))).toEqual([404, 'not_found'])
    }
  })
})

describe('redeeming', () => {
  test('gives a guest token for 24 hours', async () => {
    const answer = await redeem(await link({ username: 'Grace', ttl: 1 }))
    expect(answer).toEqual({
      guestToken: expect.any(String),
      expiresAt: expect.stringMatching(/Z$/),
      guestId: expect.any(String),
      participantName: 'Grace',
      spaceId,
      roomId,
      alias,
      roomName: 'Room',
      spaceName: 'Space',
      logo: null,
      type: 'webinar',
      role: 'user',
    })
    const left = Date.parse(answer.expiresAt) - (Date.now() + clock)
    expect(left).toBeGreaterThan(DAY - MINUTE)
    expect(left).toBeLessThanOrEqual(DAY)
    // The ttl limits the redemption, not the stay.
    const guest = lectern.withToken(answer.guestToken)
    advance(DAY - MINUTE)
    expect((await guest.getRoom({ spaceId, roomId })).id).toBe(roomId)
    advance(MINUTE + 1000)
    expect(await refusal(guest.getRoom({ spaceId, roomId }))).toEqual([401, 'token_invalid'])
  })

  test('a one-time link is good once', async () => {
    const accessToken = await link({ username: 'Grace' })
    const { guestToken } = await redeem(accessToken)
    expect(await refusal(redeem(accessToken))).toEqual([410, 'link_used'])
    expect(await refusal(inspect(accessToken))).toEqual([410, 'link_used'])
    // Who used it stays.
    await lectern.withToken(guestToken).getRoom({ spaceId, roomId })
    expect((await newest()).usedAt).toEqual(expect.stringMatching(/Z$/))
  })

  test('of twins who race for a one-time link, one gets in', async () => {
    const accessToken = await link({ username: 'Grace' })
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => redeem(accessToken)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('a permanent link is good until its ttl is over, for a new guest each time', async () => {
    const accessToken = await link({ username: 'Grace', isPermanent: true, ttl: 3600 })
    const first = await redeem(accessToken)
    advance(HOUR - 5000)
    const second = await redeem(accessToken)
    expect(second.guestId).not.toBe(first.guestId)
    advance(5001)
    expect(await refusal(redeem(accessToken))).toEqual([410, 'link_expired'])
    expect(await refusal(inspect(accessToken))).toEqual([410, 'link_expired'])
    await lectern.withToken(second.guestToken).getRoom({ spaceId, roomId })
  })

  test('a one-time link nobody used expires too', async () => {
    const accessToken = await link({ username: 'Grace', ttl: 60 })
    advance(60_001)
    expect(await refusal(redeem(accessToken))).toEqual([410, 'link_expired'])
  })

  test('asks for a name where the link has none, and is not spent by asking', async () => {
    const accessToken = await link()
    expect((await inspect(accessToken)).participantName).toBeNull()
    expect(await refusal(redeem(accessToken))).toEqual([400, 'name_required'])
    expect(await refusal(redeem(accessToken, '  '))).toEqual([400, 'invalid_request'])
    expect((await redeem(accessToken, ' Grace ')).participantName).toBe('Grace')
    expect(await refusal(redeem(accessToken, 'Grace'))).toEqual([410, 'link_used'])
  })

  test('a name in the link stands, whatever name its user gives', async () => {
    expect((await redeem(await link({ username: 'Grace' }), 'Someone else')).participantName).toBe('Grace')
  })

  test('with an Idempotency-Key a repeated request gets the same answer for 10 minutes', async () => {
    const accessToken = await link()
    const key = 'tab 1'.replace(' ', '-')
    expect(await refusal(redeem(accessToken, undefined, key))).toEqual([400, 'name_required'])
    const first = await redeem(accessToken, 'Grace', key)
    advance(10 * MINUTE - 5000)
    expect(await redeem(accessToken, 'Grace', key)).toEqual(first)
    expect(await refusal(redeem(accessToken, 'Other', key))).toEqual([422, 'idempotency_mismatch'])
    expect(await refusal(redeem(accessToken, 'Grace', 'another-tab'))).toEqual([410, 'link_used'])
    expect(await refusal(redeem(accessToken, 'Grace'))).toEqual([410, 'link_used'])
    advance(5001)
    expect(await refusal(redeem(accessToken, 'Grace', key))).toEqual([410, 'link_used'])
  })

  test('the same key with another link is another request', async () => {
    const [one, two] = [await link({ username: 'One' }), await link({ username: 'Two' })]
    expect((await redeem(one, undefined, 'same')).participantName).toBe('One')
    expect((await redeem(two, undefined, 'same')).participantName).toBe('Two')
  })
})

describe('a guest token', () => {
  test('is good in its room, by id and alias', async () => {
    const { guestToken } = await redeem(await link({ username: 'Grace' }))
    const guest = lectern.withToken(guestToken)
    for (const room of [roomId, alias]) {
      expect((await guest.getRoom({ spaceId, roomId: room })).id).toBe(roomId)
      expect(await refusal(guest.joinRoom({ spaceId, roomId: room }))).toEqual([503, 'media_off'])
    }
  })

  test('is good for nothing else, whatever its link says', async () => {
    const { id: other } = await cast.moderator.createRooms({ spaceId, name: 'Other', isPublic: true })
    for (const role of ['user', 'moderator'] as const) {
      const { guestToken } = await redeem(await link({ username: 'Grace', role }))
      const guest = lectern.withToken(guestToken)
      const refused = await refusals({
        getMe: guest.getMe(),
        createUser: guest.createUser({ email: 'x@example.com', username: 'x', password: 'a good password' }),
        createSpaces: guest.createSpaces({ name: 'Space' }),
        getSpace: guest.getSpace({ spaceId }),
        listRooms: guest.listRooms({ spaceId }),
        createRooms: guest.createRooms({ spaceId, name: 'Room' }),
        createInvite: guest.createInvite({ spaceId, role: 'role_space_user' }),
        updateRoom: guest.updateRoom({ spaceId, roomId, name: 'x' }),
        deleteRoom: guest.deleteRoom({ spaceId, roomId }),
        grantRole: guest.grantRole({ spaceId, roomId, targetUserId: cast.stranger.id, role: 'role_room_user' }),
        generateAccess: guest.generateAccess({ spaceId, roomId, role: 'user' }),
        'other room': guest.getRoom({ spaceId, roomId: other }),
        'join other room': guest.joinRoom({ spaceId, roomId: other }),
        'other space': guest.getRoom({ spaceId: other, roomId }),
      })
      for (const [what, ...answer] of refused) expect([what, ...answer]).toEqual([what, 403, 'user_token_required'])
    }
  })
})

describe('revoking', () => {
  test('ends the link and the guest tokens that came from it, and no others', async () => {
    const kept = await redeem(await link({ username: 'Kept', isPermanent: true }))
    const accessToken = await link({ username: 'Grace', isPermanent: true })
    const { id: linkId } = await newest()
    const { guestToken } = await redeem(accessToken)
    expect(await cast.moderator.revokeLink({ spaceId, roomId, linkId })).toEqual({})
    expect(await cast.moderator.revokeLink({ spaceId, roomId, linkId })).toEqual({})
    expect(await refusal(lectern.withToken(guestToken).getRoom({ spaceId, roomId }))).toEqual([401, 'token_invalid'])
    expect(await refusal(redeem(accessToken))).toEqual([410, 'link_revoked'])
    expect(await refusal(inspect(accessToken))).toEqual([410, 'link_revoked'])
    const { usedAt, revokedAt, updatedAt } = await newest()
    expect([usedAt, revokedAt]).toEqual([expect.stringMatching(/Z$/), updatedAt])
    await lectern.withToken(kept.guestToken).getRoom({ spaceId, roomId })
  })

  test('ends the guest of a one-time link that is spent', async () => {
    const { guestToken } = await redeem(await link({ username: 'Grace' }))
    await cast.moderator.revokeLink({ spaceId, roomId, linkId: (await newest()).id })
    expect(await refusal(lectern.withToken(guestToken).getRoom({ spaceId, roomId }))).toEqual([401, 'token_invalid'])
  })

  test('finds no link of another room', async () => {
    const { id: other } = await cast.moderator.createRooms({ spaceId, name: 'Other' })
    await link()
    const { id: linkId } = await newest()
    for (const attempt of [
      { roomId: other, linkId },
      { roomId, linkId: 'x' },
    ])
      expect(await refusal(cast.moderator.revokeLink({ spaceId, ...attempt }))).toEqual([404, 'not_found'])
    expect((await newest()).revokedAt).toBeNull()
  })
})

describe('the list of links', () => {
  test('never shows a token, and is paged', async () => {
    const { id } = await cast.moderator.createRooms({ spaceId, name: 'Room' })
    const tokens: string[] = []
    for (let i = 0; i < 3; i++)
      tokens.push(tokenOf(await cast.moderator.generateAccess({ spaceId, roomId: id, role: 'user' })))
    const token = await newToken(lectern, cast.moderator)
    const path = `/v1/spaces/${spaceId}/rooms/${id}/links?limit=2`
    const first = await lectern.request('GET', path, { token })
    const rest = await lectern.request('GET', `${path}&cursor=${first.body.nextCursor}`, { token })
    expect([first.body.items.length, rest.body.items.length, rest.body.nextCursor]).toEqual([2, 1, null])
    for (const secret of tokens) expect(JSON.stringify([first.body, rest.body])).not.toContain(secret)
  })
})
