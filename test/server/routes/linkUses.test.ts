import { beforeAll, describe, expect, test } from 'vitest'
import type { NewLink } from '../../../contract/links.ts'
import { callsByHand } from '../../support/calls.ts'
import { type Cast, createCast, DAY, HOUR, newClientToken, newToken, refusals, tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

/* What is known of a guest link afterwards: its label, who used it, and the link itself, to be copied again. */

let lectern: Lectern
let cast: Cast
let room: { spaceId: string; roomId: string }

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
  const { spaceId } = cast
  // By the space moderator: the owner is neither creator nor moderator of the room.
  room = { spaceId, roomId: (await cast.moderator.createRooms({ spaceId, name: 'Room' })).id }
})

const make = async (
  fields: Partial<NewLink> = {},
  maker: Pick<Person, 'generateAccess' | 'listLinks'> = cast.moderator,
) => {
  const { url } = await maker.generateAccess({ ...room, role: 'user', ...fields })
  const [link] = (await maker.listLinks({ ...room, limit: 1 })).items
  if (!link) throw new Error('there is no link')
  return { url, link, at: { ...room, linkId: link.id } }
}
const redeem = (url: string, participantName?: string) =>
  lectern.anonymous.redeemAccess({ accessToken: tokenOf({ url }), ...(participantName && { participantName }) })
const again = async () => lectern.withToken(await newToken(lectern, cast.moderator))

describe('a label', () => {
  test('is listed for those who manage links, and not shown to guests', async () => {
    const { url, link } = await make({ label: ' Parents of 7b ' })
    expect(link).toMatchObject({ label: 'Parents of 7b', username: null })
    const answers = [
      await lectern.anonymous.inspectAccess({ accessToken: tokenOf({ url }) }),
      await redeem(url, 'Grace'),
      url,
    ]
    expect(JSON.stringify(answers)).not.toContain('Parents')
  })

  test.each(['', ' ', 'x'.repeat(101), 'two\nlines', 7])('is not %j', async label => {
    const path = `/v1/spaces/${room.spaceId}/rooms/${room.roomId}/generate-access`
    const { status, body } = await lectern.request('POST', path, {
      token: cast.moderator.token,
      body: { role: 'user', label },
    })
    expect([status, body.errors[0].path]).toEqual([400, '/label'])
  })

  test('stands for an unnamed link in the audit log', async () => {
    const { at } = await make({ label: 'Open day' })
    await cast.moderator.revokeLink(at)
    const { items } = await cast.owner.listSpaceAudit({ spaceId: room.spaceId, limit: 2 })
    expect(items.map(({ action, target }) => [action, target.name])).toEqual([
      ['link.revoked', 'Open day'],
      ['link.created', 'Open day'],
    ])
  })
})

describe('who used a link', () => {
  test('is listed by name and time, newest first and paged, and stays known when they have lost access', async () => {
    const { url, at } = await make({ isPermanent: true })
    expect(await cast.moderator.listLinkGuests(at)).toEqual({ items: [], nextCursor: null })
    const guests = []
    for (const name of ['Ada', 'Grace', 'Edsger']) guests.push(await redeem(url, name))
    const first = await cast.moderator.listLinkGuests({ ...at, limit: 2 })
    expect(first.items.map(({ name }) => name)).toEqual(['Edsger', 'Grace'])
    const rest = await cast.moderator.listLinkGuests({ ...at, cursor: first.nextCursor ?? '' })
    expect(rest).toEqual({
      items: [{ id: guests[0]?.guestId, name: 'Ada', usedAt: expect.stringMatching(/Z$/) }],
      nextCursor: null,
    })
    // Signed out, and swept away.
    await lectern.anonymous.revokeToken({ token: guests[0]?.guestToken ?? '' })
    const { items } = await cast.moderator.listLinkGuests(at)
    expect(items.map(({ name }) => name)).toEqual(['Edsger', 'Grace', 'Ada'])
  })

  test('has the name the link gives', async () => {
    const { url, at } = await make({ username: 'Grace' })
    await redeem(url, 'Somebody else')
    expect((await cast.moderator.listLinkGuests(at)).items.map(({ name }) => name)).toEqual(['Grace'])
  })

  test('one who came too late for a one-time link is not among them', async () => {
    const { url, at } = await make()
    await Promise.allSettled(['Ada', 'Grace', 'Edsger'].map(name => redeem(url, name)))
    expect((await cast.moderator.listLinkGuests(at)).items).toHaveLength(1)
  })
})

describe('copying again', () => {
  test.each([{ username: 'Ада & Grace=1?#+%' }, { isPermanent: true }])(
    'gives the link of %j as it was',
    async fields => {
      const { url, link, at } = await make(fields)
      expect(link.isCopyable).toBe(true)
      expect(await cast.moderator.getLinkUrl(at)).toEqual({ url })
    },
  )

  test('is refused once the link can’t be used, and says why', async () => {
    const used = await make({ username: 'Grace' })
    await redeem(used.url)
    const revoked = await make()
    await cast.moderator.revokeLink(revoked.at)
    const expired = await make({ ttl: 60 })
    expect(
      await refusals({ used: cast.moderator.getLinkUrl(used.at), revoked: cast.moderator.getLinkUrl(revoked.at) }),
    ).toEqual([
      ['used', 410, 'link_used'],
      ['revoked', 410, 'link_revoked'],
    ])
    lectern.advance(HOUR)
    const moderator = await again()
    expect(await refusal(moderator.getLinkUrl(expired.at))).toEqual([410, 'link_expired'])
    const { items } = await moderator.listLinks({ ...room, limit: 3 })
    expect(items.map(({ isCopyable }) => isCopyable)).toEqual([false, false, false])
  })

  test('is refused for a link from before, which goes on', async () => {
    const { url, at } = await make({ username: 'Grace' }, await again())
    const { db } = await callsByHand(lectern)
    await db.updateTable('links').set({ sealed: null }).where('id', '=', at.linkId).execute()
    const moderator = await again()
    expect(await refusal(moderator.getLinkUrl(at))).toEqual([409, 'link_not_kept'])
    expect((await moderator.listLinks({ ...room, limit: 1 })).items[0]).toMatchObject({
      isUsable: true,
      isCopyable: false,
    })
    await redeem(url)
    // What is kept is no token.
    const sealed = await db.selectFrom('links').select('sealed').where('sealed', 'is not', null).execute()
    expect(JSON.stringify(sealed)).not.toContain(tokenOf({ url }))
    await db.destroy()
  })

  test('and seeing who used a link is for those who may create links, in their room', async () => {
    const { moderator, owner, member } = cast
    const fresh = await again()
    const { at } = await make({}, fresh)
    const { spaceId } = room
    const { id: other } = await fresh.createRooms({ spaceId, name: 'Other' })
    await fresh.grantRole({ ...room, targetUserId: member.id, role: 'role_room_user' })
    const client = lectern.withToken((await newClientToken(lectern, { ...moderator, ...fresh } as Person)).token)
    const guest = lectern.withToken(
      (await redeem((await make({ username: 'Grace', role: 'moderator' }, fresh)).url)).guestToken,
    )
    const [theOwner, theMember] = await Promise.all(
      [owner, member].map(async person => lectern.withToken(await newToken(lectern, person))),
    )
    const attempts = (who: Pick<Person, 'getLinkUrl' | 'listLinkGuests'>, input = at) => [
      who.getLinkUrl(input),
      who.listLinkGuests(input),
    ]
    const answers = async (...input: Parameters<typeof attempts>) =>
      (await refusals(attempts(...input))).map(([, ...answer]) => answer)
    for (const person of [theOwner, theMember])
      expect(await answers(person as Person)).toEqual([
        [403, 'not_allowed'],
        [403, 'not_allowed'],
      ])
    expect(await answers(guest)).toEqual([
      [403, 'user_token_required'],
      [403, 'user_token_required'],
    ])
    expect(await refusal(client.getLinkUrl(at))).toEqual([403, 'user_token_required'])
    expect((await client.listLinkGuests(at)).items).toEqual([])
    for (const elsewhere of [
      { ...at, roomId: other },
      { ...at, linkId: 'x' },
      { ...at, linkId: other },
    ])
      expect(await answers(fresh, elsewhere)).toEqual([
        [404, 'not_found'],
        [404, 'not_found'],
      ])
  })

  test('a link whose creator lost the room is not copied by others', async () => {
    const fresh = await again()
    const token = await newToken(lectern, cast.stranger)
    await fresh.grantRole({ ...room, targetUserId: cast.stranger.id, role: 'role_room_moderator' })
    const { at } = await make({ ttl: (30 * DAY) / 1000 }, lectern.withToken(token))
    await fresh.getLinkUrl(at)
    await fresh.revokeRole({ ...room, userId: cast.stranger.id })
    expect(await refusal(fresh.getLinkUrl(at))).toEqual([410, 'link_revoked'])
  })
})

describe('a guest', () => {
  const asGuest = async (fields: Partial<NewLink>, name?: string) => {
    const { url, at } = await make(fields, await again())
    const { guestToken } = await redeem(url, name)
    return { guest: lectern.withToken(guestToken), at }
  }

  test('changes the name they typed, and stays the same guest', async () => {
    const { guest, at } = await asGuest({ isPermanent: true }, 'Grase')
    expect(await guest.renameGuest({ ...room, participantName: ' Grace ' })).toEqual({ participantName: 'Grace' })
    const { items } = await (await again()).listLinkGuests(at)
    expect(items.map(({ name }) => name)).toEqual(['Grase'])
  })

  test('does not change the name of their link, nor any where the room does not allow it', async () => {
    const moderator = await again()
    const [named, typed] = [await asGuest({ username: 'Grace' }), await asGuest({}, 'Ada')]
    const rename = ({ guest }: typeof named) => guest.renameGuest({ ...room, participantName: 'Somebody' })
    const { alias } = await moderator.getRoom(room)
    /** What they are told before they try. */
    const mayRename = async () =>
      Promise.all([named, typed].map(async ({ guest }) => (await guest.getRoomByAlias({ alias })).isRenamingAllowed))
    expect(await mayRename()).toEqual([false, true])
    expect(await refusal(rename(named))).toEqual([403, 'not_allowed'])
    await moderator.updateRoom({ ...room, isSelfRenamingAllowed: false })
    expect(await mayRename()).toEqual([false, false])
    expect(await refusal(rename(typed))).toEqual([403, 'renaming_off'])
    await moderator.updateRoom({ ...room, isSelfRenamingAllowed: true })
    expect(await rename(typed)).toEqual({ participantName: 'Somebody' })
    expect(await refusal(moderator.renameGuest({ ...room, participantName: 'x' }))).toEqual([403, 'not_allowed'])
  })
})
