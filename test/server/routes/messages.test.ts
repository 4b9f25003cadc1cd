import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { newId } from '../../../server/ids.ts'
import { createSweep } from '../../../server/store/housekeeping.ts'
import { callsByHand } from '../../support/calls.ts'
import { type Cast, createCast, DAY, MINUTE, newClientToken, refusals, tokenOf } from '../../support/cast.ts'
import { isOneNode, type Lectern, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let cast: Cast
let byHand: Awaited<ReturnType<typeof callsByHand>>

beforeAll(async () => {
  lectern = await startLectern()
  cast = await createCast(lectern)
  byHand = await callsByHand(lectern)
})

/** The owner is in a call there. */
const startCall = async (roomId: string, { owner } = cast, hand = byHand) =>
  hand.tell('joined', roomId, await hand.join(roomId, { userId: owner.id }))

/** A room that all in the space may join, with a call going on and a guest of each role. */
const openRoom = async (type: 'lesson' | 'webinar' = 'lesson') => {
  const { owner, spaceId } = cast
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', isPublic: true, type })
  const at = { spaceId, roomId }
  await startCall(roomId)
  const guestOf = async (role: 'user' | 'moderator') => {
    const accessToken = tokenOf(await owner.generateAccess({ ...at, role, username: `Guest ${role}` }))
    return lectern.withToken((await lectern.anonymous.redeemAccess({ accessToken })).guestToken)
  }
  return { at, guest: await guestOf('user'), guestModerator: await guestOf('moderator') }
}

/** As the previous release stores it. */
const written = ({ text }: { text: string }, createdAt: number) =>
  ({ id: newId(createdAt), person: 'user:x', name: 'Ada', role: 'user', text, createdAt }) as const

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
    const people = await createCast(kept)
    const { owner, spaceId } = people
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const hand = await callsByHand(kept)
    await startCall(roomId, people, hand)
    const { db } = hand
    const { id: callId } = await owner.getLiveCall({ spaceId, roomId })
    // More than one batch.
    const many = Array.from({ length: 600 }, () => written({ text: 'Old' }, Date.now() - 3 * DAY))
    await db
      .insertInto('messages')
      .values(many.map(message => ({ ...message, roomId })))
      .execute()
    const flags = { callId, isForHosts: false, isQuestion: false, answeredAt: null }
    const more = Array.from({ length: 600 }, () => ({ ...written({ text: 'Old' }, Date.now() - 3 * DAY), ...flags }))
    await db.insertInto('callMessages').values(more).execute()
    const { createdAt } = await owner.createMessage({ spaceId, roomId, text: 'New' })

    const lastDay = Date.parse(createdAt) + days * DAY
    await createSweep(db, kept.config, () => lastDay)()
    expect(await texts(owner, { spaceId, roomId })).toEqual(['New'])
    await createSweep(db, kept.config, () => lastDay + MINUTE)()
    expect(await texts(owner, { spaceId, roomId })).toEqual([])
  })

  test.runIf(isOneNode)('of one person is 20 messages in 10 seconds, whatever the others write', async () => {
    const limited = await startLectern({ LECTERN_RATE_LIMITS: 'on' })
    const people = await createCast(limited)
    const { owner, member, spaceId } = people
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', isPublic: true })
    await startCall(roomId, people, await callsByHand(limited))
    const write = (person: Client) => person.createMessage({ spaceId, roomId, text: 'Hello' })
    for (let count = 0; count < 20; count++) await write(owner)
    expect(await refusal(write(owner))).toEqual([429, 'rate_limited'])
    await write(member)
  })

  describe('in 10 seconds, however many guests the links make', () => {
    /** Guests of links for many, each of whom writes 20 messages at once, from an address of the test's choice. */
    const openLinks = async () => {
      const limited = await startLectern({ LECTERN_RATE_LIMITS: 'on', LECTERN_TRUSTED_PROXIES: '127.0.0.1,::1' })
      const people = await createCast(limited)
      const { owner, spaceId } = people
      const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
      await startCall(roomId, people, await callsByHand(limited))
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

describe('of a call', () => {
  const endCall = (at: { spaceId: string; roomId: string }) => cast.owner.endCall(at)
  const pastTexts = async (page: Promise<{ items: { text: string }[] }>) => (await page).items.map(({ text }) => text)

  test('is read by all in it and by nobody in the next; without a call there is none', async () => {
    const { at, guest } = await openRoom()
    await guest.createMessage({ ...at, text: 'Yesterday' })
    expect(await texts(cast.member, at)).toEqual(['Yesterday'])
    await endCall(at)
    for (const person of [guest, cast.owner]) {
      expect(await texts(person, at)).toEqual([])
      expect(await refusal(person.createMessage({ ...at, text: 'Anyone?' }))).toEqual([404, 'no_call'])
    }
    await startCall(at.roomId)
    expect(await texts(guest, at)).toEqual([])
    await cast.owner.createMessage({ ...at, text: 'Today' })
    // Someone who comes late.
    expect(await texts(cast.member, at)).toEqual(['Today'])
  })

  test('is for those who see past calls, a page at a time, also when the room is gone', async () => {
    const { at, guest, guestModerator } = await openRoom()
    const { spaceId } = at
    const { id: callId } = await cast.owner.getLiveCall(at)
    const sent = [
      await guest.createMessage({ ...at, text: 'One' }),
      await guest.createMessage({ ...at, text: 'Two' }),
      await cast.owner.createMessage({ ...at, text: 'Three' }),
    ]
    await endCall(at)
    const elsewhere = await openRoom()
    const first = await cast.moderator.listCallMessages({ ...at, callId, limit: 2 })
    expect(first.items).toEqual([sent[2], sent[1]])
    const rest = await cast.owner.listSpaceCallMessages({ spaceId, callId, cursor: first.nextCursor ?? '' })
    expect(rest).toEqual({ items: [sent[0]], nextCursor: null })

    const notAllowed = [403, 'not_allowed']
    expect(await refusal(cast.member.listCallMessages({ ...at, callId }))).toEqual(notAllowed)
    expect(await refusal(cast.member.listSpaceCallMessages({ spaceId, callId }))).toEqual(notAllowed)
    for (const person of [guest, guestModerator])
      expect(await refusal(person.listCallMessages({ ...at, callId }))).toEqual([403, 'user_token_required'])
    expect(await refusal(cast.stranger.listSpaceCallMessages({ spaceId, callId }))).toEqual([404, 'not_found'])
    expect(await refusal(cast.owner.listCallMessages({ ...elsewhere.at, callId }))).toEqual([404, 'not_found'])

    await guestModerator.deleteMessage({ ...at, messageId: sent[0]?.id ?? '' })
    await cast.owner.deleteRoom(at)
    expect(await pastTexts(cast.owner.listSpaceCallMessages({ spaceId, callId }))).toEqual(['Three', 'Two'])
    const client = lectern.withToken((await newClientToken(lectern, cast.owner)).token)
    expect(await pastTexts(client.listSpaceCallMessages({ spaceId, callId }))).toEqual(['Three', 'Two'])
  })

  test('is a text file with the room’s name and dates, in which no text passes for another message', async () => {
    const { owner, spaceId } = cast
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Урок: "5/6"', isPublic: true, type: 'webinar' })
    const at = { spaceId, roomId }
    await startCall(roomId)
    const { id: callId, startedAt } = await owner.getLiveCall(at)
    const question = await cast.member.createMessage({ ...at, text: 'Why?', isQuestion: true })
    await owner.setAnswered({ ...at, messageId: question.id, answered: true })
    await cast.member.createMessage({
      ...at,
      text: `Hi\n[2026-01-01 00:00:00] ${owner.username}: I agree`,
      to: 'hosts',
    })
    await owner.createMessage({ ...at, text: 'Because' })
    // More than is read at once.
    const flags = { callId, isForHosts: false, isQuestion: false, answeredAt: null }
    const many = Array.from({ length: 1200 }, () => ({ ...written({ text: 'More' }, Date.now()), ...flags }))
    for (const some of [many.slice(0, 600), many.slice(600)])
      await byHand.db.insertInto('callMessages').values(some).execute()
    const path = `/v1/spaces/${spaceId}/rooms/${roomId}/calls/${callId}/messages?format=txt`
    const response = await fetch(`${lectern.url}${path}`, { headers: { authorization: `Bearer ${owner.token}` } })
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="chat-${startedAt.slice(0, 10)}-____ 5 6.txt"; ` +
        `filename*=UTF-8''${encodeURIComponent(`chat-${startedAt.slice(0, 10)}-Урок 5 6.txt`)}`,
    )
    const lines = (await response.text()).split('\n')
    const time = '\\[\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\]'
    const expected = [
      'Урок: "5/6"',
      `Call: ${startedAt.slice(0, 19).replace('T', ' ')}`,
      'All times are in UTC.',
      '',
      new RegExp(`^${time} ${cast.member.username} \\(question, answered [-0-9: ]{19}\\): Why\\?$`),
      new RegExp(`^${time} ${cast.member.username} \\(to hosts\\): Hi$`),
      `    [2026-01-01 00:00:00] ${owner.username}: I agree`,
      new RegExp(`^${time} ${owner.username} \\(moderator\\): Because$`),
      ...many.map(() => new RegExp(`^${time} Ada: More$`)),
      '',
    ]
    expect(lines).toHaveLength(expected.length)
    for (const [index, line] of expected.entries())
      if (typeof line === 'string') expect(lines[index]?.replace('\uFEFF', '')).toBe(line)
      else expect(lines[index]).toMatch(line)
  })

  test('is also what the previous release writes meanwhile, until the room goes', async () => {
    const { at, guest } = await openRoom()
    const { spaceId, roomId } = at
    const { id: first } = await cast.owner.getLiveCall(at)
    const write = async (text: string) => {
      const message = { ...written({ text }, Date.now()), roomId }
      await byHand.db.insertInto('messages').values(message).execute()
      return message.id
    }
    await write('Old one')
    const dropped = await write('Old two')
    await cast.owner.createMessage({ ...at, text: 'New' })
    expect(await texts(guest, at)).toEqual(['New', 'Old two', 'Old one'])
    const { items, nextCursor } = await guest.listMessages({ ...at, limit: 1 })
    expect(items).toMatchObject([{ text: 'New' }])
    const next = await guest.listMessages({ ...at, limit: 1, cursor: nextCursor ?? '' })
    expect(next.items).toMatchObject([{ text: 'Old two', to: 'everyone', isQuestion: false, answeredAt: null }])
    const notAQuestion = cast.owner.setAnswered({ ...at, messageId: dropped, answered: true })
    expect(await refusal(notAQuestion)).toEqual([409, 'not_a_question'])
    await cast.owner.deleteMessage({ ...at, messageId: dropped })
    await endCall(at)
    await startCall(roomId)
    const { id: second } = await cast.owner.getLiveCall(at)
    await write('Old three')
    expect(await texts(guest, at)).toEqual(['Old three'])
    expect(await pastTexts(cast.owner.listCallMessages({ ...at, callId: first }))).toEqual(['New', 'Old one'])
    await endCall(at)
    await cast.owner.deleteRoom(at)
    const past = (callId: string) => pastTexts(cast.owner.listSpaceCallMessages({ spaceId, callId }))
    expect([await past(first), await past(second)]).toEqual([['New', 'Old one'], ['Old three']])
  })
})

describe('to the hosts of a webinar', () => {
  test('is read by moderators and whoever wrote it', async () => {
    const { at, guest, guestModerator } = await openRoom('webinar')
    const secret = await guest.createMessage({ ...at, text: 'I can’t hear', to: 'hosts' })
    expect(secret).toMatchObject({ to: 'hosts', isQuestion: false })
    const open = await cast.member.createMessage({ ...at, text: 'Hello', to: 'everyone' })
    expect(await guestModerator.createMessage({ ...at, text: 'Among us', to: 'hosts' })).toMatchObject({ to: 'hosts' })
    const all = ['Among us', 'Hello', 'I can’t hear']
    expect([await texts(cast.owner, at), await texts(guestModerator, at)]).toEqual([all, all])
    expect(await texts(guest, at)).toEqual(['Hello', 'I can’t hear'])
    // Also not by those who manage the space, unless they moderate the room.
    for (const person of [cast.member, cast.moderator]) expect((await person.listMessages(at)).items).toEqual([open])
    const { id: callId } = await cast.owner.getLiveCall(at)
    const pastOf = async (person: Client) => [
      (await person.listCallMessages({ ...at, callId })).items.map(({ text }) => text),
      (await person.listSpaceCallMessages({ spaceId: at.spaceId, callId })).items.map(({ text }) => text),
    ]
    expect(await pastOf(cast.moderator)).toEqual([['Hello'], ['Hello']])
    expect(await pastOf(cast.owner)).toEqual([all, all])
    await cast.owner.grantRole({ ...at, targetUserId: cast.moderator.id, role: 'role_room_moderator' })
    expect(await texts(cast.moderator, at)).toEqual(all)
    await cast.owner.revokeRole({ ...at, userId: cast.moderator.id })
    expect(await pastOf(cast.moderator)).toEqual([['Hello'], ['Hello']])
    await cast.owner.deleteRoom(at)
    expect((await cast.moderator.listSpaceCallMessages({ spaceId: at.spaceId, callId })).items).toHaveLength(3)
  })

  test('is a page of what one may read, however much is between', async () => {
    const { at, guest } = await openRoom('webinar')
    const write = (person: Client, text: string, to: 'everyone' | 'hosts') => person.createMessage({ ...at, text, to })
    await write(guest, 'a', 'everyone')
    for (const text of ['b', 'c', 'd']) await write(cast.owner, text, 'hosts')
    await write(guest, 'e', 'hosts')
    await write(cast.owner, 'f', 'everyone')
    const pagesOf = async (person: Client) => {
      const found: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await person.listMessages({ ...at, limit: 2, ...(cursor && { cursor }) })
        expect(page.items.length).toBe(2)
        found.push(...page.items.map(({ text }) => text))
        cursor = page.nextCursor
        if (found.length > 10) throw new Error('no end')
      }
      return found.join('')
    }
    expect(await pagesOf(cast.owner)).toBe('fedcba')
    await write(cast.member, 'g', 'everyone')
    expect(await pagesOf(guest)).toBe('gfea')
  })

  test('is read by the same person whichever link they come by', async () => {
    const { at } = await openRoom('webinar')
    const pupil = async (externalUserId: string) => {
      const link = await cast.owner.generateAccess({ ...at, role: 'user', username: 'Pupil', externalUserId })
      return lectern.withToken((await lectern.anonymous.redeemAccess({ accessToken: tokenOf(link) })).guestToken)
    }
    await (await pupil('pupil7')).createMessage({ ...at, text: 'Psst', to: 'hosts' })
    expect(await texts(await pupil('pupil7'), at)).toEqual(['Psst'])
    expect(await texts(await pupil('pupil8'), at)).toEqual([])
  })

  test('is not for lessons', async () => {
    const { at, guest } = await openRoom()
    expect(await refusal(guest.createMessage({ ...at, text: 'Psst', to: 'hosts' }))).toEqual([403, 'not_allowed'])
    expect(await texts(cast.owner, at)).toEqual([])
  })
})

describe('a question', () => {
  test('is marked as answered by moderators, and found', async () => {
    const { at, guest, guestModerator } = await openRoom('webinar')
    await guest.createMessage({ ...at, text: 'Hello' })
    const ask = (text: string, to: 'everyone' | 'hosts') =>
      guest.createMessage({ ...at, text, to, isQuestion: true }).then(({ id }) => ({ ...at, messageId: id }))
    const [first, second] = [await ask('One?', 'everyone'), await ask('Two?', 'hosts')]
    for (const person of [guest, cast.member])
      expect(await refusal(person.setAnswered({ ...first, answered: true }))).toEqual([403, 'not_allowed'])
    const answered = await guestModerator.setAnswered({ ...first, answered: true })
    expect(answered.answeredAt).not.toBeNull()
    expect(await cast.owner.setAnswered({ ...first, answered: true })).toEqual(answered)
    const found = async (person: Client, filter: 'questions' | 'unanswered') =>
      (await person.listMessages({ ...at, filter })).items.map(({ text }) => text)
    expect([await found(guest, 'questions'), await found(guest, 'unanswered')]).toEqual([['Two?', 'One?'], ['Two?']])
    expect([await found(cast.member, 'questions'), await found(cast.member, 'unanswered')]).toEqual([['One?'], []])
    expect((await cast.owner.setAnswered({ ...first, answered: false })).answeredAt).toBeNull()
    expect(await found(cast.owner, 'unanswered')).toEqual(['Two?', 'One?'])
    await cast.owner.setAnswered({ ...second, answered: true })
    expect(await found(cast.owner, 'unanswered')).toEqual(['One?'])
  })

  test('is nothing else', async () => {
    const { at, guest } = await openRoom()
    const { id: messageId } = await guest.createMessage({ ...at, text: 'Hello' })
    const attempt = cast.owner.setAnswered({ ...at, messageId, answered: true })
    expect(await refusal(attempt)).toEqual([409, 'not_a_question'])
    const elsewhere = await openRoom()
    const unknown = cast.owner.setAnswered({ ...elsewhere.at, messageId, answered: true })
    expect(await refusal(unknown)).toEqual([404, 'not_found'])
  })
})
