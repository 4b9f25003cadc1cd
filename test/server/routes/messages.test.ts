import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { newId } from '../../../server/ids.ts'
import { openDb } from '../../../server/store/db.ts'
import { createSweep } from '../../../server/store/housekeeping.ts'
import { type Cast, createCast, DAY, MINUTE, newClientToken, refusals, tokenOf } from '../../support/cast.ts'
import { isOneNode, type Lectern, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
})

/** A room that all in the space may join, with a guest of each role. */
const openRoom = async () => {
  const { owner, spaceId } = cast
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', isPublic: true })
  const at = { spaceId, roomId }
  const guestOf = async (role: 'user' | 'moderator') => {
    const accessToken = tokenOf(await owner.generateAccess({ ...at, role, username: `Guest ${role}` }))
    return lectern.withToken((await lectern.anonymous.redeemAccess({ accessToken })).guestToken)
  }
  return { at, guest: await guestOf('user'), guestModerator: await guestOf('moderator') }
}

const texts = async (client: Client, at: { spaceId: string; roomId: string }) =>
  (await client.listMessages(at)).items.map(({ text }) => text)

describe('chat', () => {
  test('keeps who wrote what, newest first, a page at a time', async () => {
    const { at, guest, guestModerator } = await openRoom()
    const sent = [
      await cast.member.createMessage({ ...at, text: '  One\nline two ' }),
      await guest.createMessage({ ...at, text: 'Two' }),
      await guestModerator.createMessage({ ...at, text: 'Three' }),
      await cast.owner.createMessage({ ...at, text: 'Four' }),
    ]
    expect(sent.map(({ name, role, text }) => [name, role, text])).toEqual([
      [cast.member.username, 'user', 'One\nline two'],
      ['Guest user', 'user', 'Two'],
      ['Guest moderator', 'moderator', 'Three'],
      [cast.owner.username, 'moderator', 'Four'],
    ])
    const { items, nextCursor } = await guest.listMessages({ ...at, limit: 3 })
    expect(items).toEqual(sent.slice(1).reverse())
    expect(await guest.listMessages({ ...at, cursor: nextCursor ?? '' })).toEqual({
      items: sent.slice(0, 1),
      nextCursor: null,
    })
  })

  test('is for those who may join; an API client only reads it', async () => {
    const { at } = await openRoom()
    expect(await refusal(cast.stranger.listMessages(at))).toEqual([404, 'not_found'])
    expect(await refusal(cast.stranger.createMessage({ ...at, text: 'Hello' }))).toEqual([404, 'not_found'])
    const client = lectern.withToken((await newClientToken(lectern, cast.owner)).token)
    expect(await refusal(client.createMessage({ ...at, text: 'Hello' }))).toEqual([403, 'user_token_required'])
    expect((await client.listMessages(at)).items).toEqual([])
  })

  test('takes up to 4,000 characters of text that says something', async () => {
    const { at, guest } = await openRoom()
    const invalid = ['', ' \n ', 'x'.repeat(4001), 'nul \u0000', 'half \ud83d']
    for (const [, ...answer] of await refusals(invalid.map(text => guest.createMessage({ ...at, text }))))
      expect(answer).toEqual([400, 'invalid_request'])
    const longest = '😀'.repeat(4000)
    expect((await guest.createMessage({ ...at, text: longest })).text).toBe(longest)
    expect(await texts(guest, at)).toEqual([longest])
  })

  test('is written once with an Idempotency-Key', async () => {
    const { at, guest } = await openRoom()
    const write = () => guest.createMessage({ ...at, text: 'Once' }, { idempotencyKey: 'key' })
    expect(await write()).toEqual(await write())
    expect(await texts(guest, at)).toEqual(['Once'])
  })

  test('takes nothing while it is off, not even from moderators, and stays readable', async () => {
    const { at, guest } = await openRoom()
    await guest.createMessage({ ...at, text: 'Before' })
    await cast.owner.updateRoom({ ...at, isChatAllowed: false })
    expect(await refusal(guest.createMessage({ ...at, text: 'After' }))).toEqual([403, 'chat_off'])
    expect(await refusal(cast.owner.createMessage({ ...at, text: 'After' }))).toEqual([403, 'chat_off'])
    expect(await texts(guest, at)).toEqual(['Before'])
  })

  test('is deleted by moderators of the room alone', async () => {
    const { at, guest, guestModerator } = await openRoom()
    const { id: messageId } = await guest.createMessage({ ...at, text: 'Sorry' })
    for (const person of [guest, cast.member, cast.moderator])
      expect(await refusal(person.deleteMessage({ ...at, messageId }))).toEqual([403, 'not_allowed'])
    const elsewhere = await openRoom()
    const unknown = [404, 'not_found']
    expect(await refusal(cast.owner.deleteMessage({ ...elsewhere.at, messageId }))).toEqual(unknown)
    expect(await refusal(cast.owner.deleteMessage({ ...at, messageId: 'x' }))).toEqual(unknown)
    await guestModerator.deleteMessage({ ...at, messageId })
    expect(await refusal(cast.owner.deleteMessage({ ...at, messageId }))).toEqual(unknown)
    expect(await texts(guest, at)).toEqual([])
  })

  test('is kept as long as the setting says', async () => {
    const days = 2
    const kept = await startLectern({ LECTERN_KEEP_CHAT_DAYS: String(days) })
    const { owner, spaceId } = await createCast(kept)
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const db = await openDb(kept.config)
    onTestFinished(() => db.destroy())
    const message = { roomId, person: 'user:x', name: 'Ada', role: 'user', text: 'Old', createdAt: 0 } as const
    // More than one batch.
    const many = Array.from({ length: 600 }, () => ({ id: newId(Date.now()), ...message }))
    await db.insertInto('messages').values(many).execute()
    const { createdAt } = await owner.createMessage({ spaceId, roomId, text: 'New' })

    const lastDay = Date.parse(createdAt) + days * DAY
    await createSweep(db, kept.config, () => lastDay)()
    expect(await texts(owner, { spaceId, roomId })).toEqual(['New'])
    await createSweep(db, kept.config, () => lastDay + MINUTE)()
    expect(await texts(owner, { spaceId, roomId })).toEqual([])
  })

  test.runIf(isOneNode)('of one person is 20 messages in 10 seconds, whatever the others write', async () => {
    const limited = await startLectern({ LECTERN_RATE_LIMITS: 'on' })
    const { owner, member, spaceId } = await createCast(limited)
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', isPublic: true })
    const write = (person: Client) => person.createMessage({ spaceId, roomId, text: 'Hello' })
    for (let count = 0; count < 20; count++) await write(owner)
    expect(await refusal(write(owner))).toEqual([429, 'rate_limited'])
    await write(member)
  })

  describe('in 10 seconds, however many guests the links make', () => {
    /** Guests of links for many, each of whom writes 20 messages at once, from an address of the test's choice. */
    const openLinks = async () => {
      const limited = await startLectern({ LECTERN_RATE_LIMITS: 'on', LECTERN_TRUSTED_PROXIES: '127.0.0.1,::1' })
      const { owner, spaceId } = await createCast(limited)
      const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
      const at = { spaceId, roomId }
      const guestsOfNewLink = async (count: number) => {
        const link = await owner.generateAccess({ ...at, role: 'user', username: 'Guest', isPermanent: true })
        const redeem = () => limited.anonymous.redeemAccess({ accessToken: tokenOf(link) })
        return (await Promise.all(Array.from({ length: count }, redeem))).map(({ guestToken }) => guestToken)
      }
      const write = (token: string, address: string) =>
        limited.request('POST', `/v1/spaces/${spaceId}/rooms/${roomId}/messages`, {
          token,
          headers: { 'x-forwarded-for': address },
          body: { text: 'x'.repeat(4000) },
        })
      const writeAll = async (tokens: string[], address: string) => {
        const answers = await Promise.all(
          tokens.flatMap(token => Array.from({ length: 20 }, () => write(token, address))),
        )
        const refused = answers.filter(({ status }) => status !== 200)
        for (const { status, headers, body } of refused) {
          expect([status, body.code]).toEqual([429, 'rate_limited'])
          expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(10)
        }
        return { written: answers.length - refused.length, by: refused.map(({ headers }) => headers.get('ratelimit')) }
      }
      return { guestsOfNewLink, write, writeAll, writeAsOwner: () => owner.createMessage({ ...at, text: 'Order!' }) }
    }

    test.runIf(isOneNode)('a link is good for 100 messages, and others write on', async () => {
      const { guestsOfNewLink, write, writeAll, writeAsOwner } = await openLinks()
      const [flood, others] = [await guestsOfNewLink(7), await guestsOfNewLink(1)]
      const { written, by } = await writeAll(flood, '192.0.2.1')
      expect(written).toBe(100)
      for (const policy of by) expect(policy).toMatch(/^"chat-link";r=0;/)
      // Another address does not help the link.
      expect((await write(flood[6] ?? '', '192.0.2.2')).status).toBe(429)
      const answer = await write(others[0] ?? '', '192.0.2.1')
      expect(answer.status).toBe(200)
      expect(answer.headers.get('ratelimit-policy')).toBe(
        '"chat";q=20;w=10, "chat-link";q=100;w=10, "chat-address";q=200;w=10',
      )
      await writeAsOwner()
    })

    test.runIf(isOneNode)('an address is good for 200, and what it is refused is taken from nobody', async () => {
      const { guestsOfNewLink, writeAll, writeAsOwner } = await openLinks()
      const [first, second, third] = await Promise.all([guestsOfNewLink(5), guestsOfNewLink(5), guestsOfNewLink(5)])
      const [one, two] = await Promise.all([writeAll(first, '192.0.2.1'), writeAll(second, '192.0.2.1')])
      expect(one.written + two.written).toBe(200)
      const { written, by } = await writeAll(third, '192.0.2.1')
      expect(written).toBe(0)
      for (const policy of by) expect(policy).toMatch(/^"chat-address";r=0;/)
      expect((await writeAll(third, '192.0.2.2')).written).toBe(100)
      await writeAsOwner()
    })
  })
})
