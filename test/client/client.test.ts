import { beforeAll, expect, expectTypeOf, test } from 'vitest'
import { createClient } from '../../client/client.ts'
import { LecternError } from '../../client/error.ts'
import type { Tokens } from '../../contract/tokens.ts'
import { callsByHand } from '../support/calls.ts'
import { type Lectern, type Person, startLectern } from '../support/lectern.ts'

let lectern: Lectern
let ada: Person

beforeAll(async () => {
  lectern = await startLectern()
  ada = await lectern.user('ada')
})

const FIFTEEN_MINUTES = 15 * 60 * 1000

test('renews an expired token by itself, once for requests that meet', async () => {
  const kept: Tokens[] = []
  const client = createClient({ baseUrl: lectern.url, onTokens: tokens => kept.push(tokens) })
  await client.signIn('ada', ada.password)
  lectern.advance(FIFTEEN_MINUTES + 1000)
  const answers = await Promise.all([client.getMe(), client.listSpaces(), client.getMe()])
  expect(answers[0].id).toBe(ada.id)
  expect(kept).toHaveLength(2)
  expect(kept[1]?.refresh_token).not.toBe(kept[0]?.refresh_token)
})

test('goes on from a kept pair of tokens', async () => {
  const { access_token, refresh_token = '' } = await createClient({ baseUrl: lectern.url }).signIn('ada', ada.password)
  lectern.advance(FIFTEEN_MINUTES + 1000)
  const client = createClient({ baseUrl: `${lectern.url}/`, token: access_token, refreshToken: refresh_token })
  expect((await client.getMe()).username).toBe('ada')
})

test('renews as the API client that the tokens were issued to', async () => {
  const { clientId, clientSecret } = await lectern
    .withToken((await ada.signIn('ada', ada.password)).access_token)
    .createClient({ name: 'Page' })
  const client = createClient({ baseUrl: lectern.url, clientId, clientSecret })
  const { access_token, refresh_token = '' } = await client.signIn('ada', ada.password)
  lectern.advance(FIFTEEN_MINUTES + 1000)
  const stranger = createClient({ baseUrl: lectern.url, token: access_token, refreshToken: refresh_token })
  await expect(stranger.getMe()).rejects.toMatchObject({ status: 401, code: 'invalid_client' })
  expect((await client.getMe()).id).toBe(ada.id)
})

test('fails with the refusal when the session has ended', async () => {
  const client = createClient({ baseUrl: lectern.url })
  const { access_token } = await client.signIn('ada', ada.password)
  await client.revokeToken({ token: access_token })
  const error = await client.getMe().catch(caught => caught)
  expect(error).toBeInstanceOf(LecternError)
  expect([error.status, error.code]).toEqual([400, 'invalid_grant'])
})

test('a user’s token that has ended is not replaced by one of the API client', async () => {
  const { clientId, clientSecret } = await lectern
    .withToken((await ada.signIn('ada', ada.password)).access_token)
    .createClient({ name: 'Page' })
  const grace = await lectern.user()
  const { id, token } = await grace.createPersonalToken({ name: 'Backend' })
  const client = createClient({ baseUrl: lectern.url, token, clientId, clientSecret })
  expect((await client.getMe()).id).toBe(grace.id)
  await grace.deletePersonalToken({ tokenId: id })
  await expect(client.getMe()).rejects.toMatchObject({ status: 401, code: 'token_invalid' })
})

test('gives problems with code, words and fields', async () => {
  const client = createClient({ baseUrl: lectern.url })
  await client.signIn('ada', ada.password)
  const error = await client.createSpaces({ name: '' }).catch(caught => caught)
  expect(error).toBeInstanceOf(LecternError)
  expect(error.code).toBe('invalid_request')
  expect(error.message).toMatch(/name/)
  expect(error.errors[0]).toMatchObject({ path: '/name', code: 'required', params: {} })
  expect(error.rule).toBeNull()
  expect(await client.listUsers().catch(caught => caught)).toMatchObject({ code: 'not_allowed', rule: 'operatorOnly' })
})

test('puts path, query and body where they belong', async () => {
  const client = createClient({ baseUrl: lectern.url })
  await client.signIn('ada', ada.password)
  const { id: spaceId } = await client.createSpaces({ name: 'Space' }, { idempotencyKey: 'one' })
  expect(await client.createSpaces({ name: 'Space' }, { idempotencyKey: 'one' })).toEqual({ id: spaceId })
  for (const name of ['a', 'b', 'c']) await client.createRooms({ spaceId, name })
  const page = await client.listRooms({ spaceId, limit: 2 })
  expect(page.items.map(({ name }) => name)).toEqual(['c', 'b'])
  const rest = await client.listRooms({ spaceId, limit: 2, cursor: page.nextCursor ?? '' })
  expect(rest.items.map(({ name }) => name)).toEqual(['a'])
  expect(rest.nextCursor).toBeNull()
})

test('asks for nothing else where an ID is none', async () => {
  const client = createClient({ baseUrl: lectern.url })
  await client.signIn('ada', ada.password)
  const { id: spaceId } = await client.createSpaces({ name: 'Space' })
  // As a URL, the first would be the list of all calls of the space.
  for (const roomId of ['..', '.', '', undefined as unknown as string])
    await expect(client.listCalls({ spaceId, roomId })).rejects.toThrow('roomId is not an ID')
})

test('an answer that is cut off, or not of the service, is none', async () => {
  const cut = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"items":['))
      controller.error(new Error('connection lost'))
    },
  })
  const ask = (body: ReadableStream | string) =>
    createClient({ baseUrl: lectern.url, token: 'token', fetch: async () => new Response(body) }).getMe()
  await expect(ask(cut)).rejects.toThrow('connection lost')
  await expect(ask('<html>Sign in to the network</html>')).rejects.toThrow()
})

test('gives a file as it came, and the same as data', async () => {
  const client = createClient({ baseUrl: lectern.url })
  await client.signIn('ada', ada.password)
  const { id: spaceId } = await client.createSpaces({ name: 'Space' })
  const { id: roomId } = await client.createRooms({ spaceId, name: 'Room' })
  const byHand = await callsByHand(lectern)
  const presence = await byHand.join(roomId, { userId: ada.id })
  await byHand.tell('joined', roomId, presence)
  const { id: callId } = await client.getLiveCall({ spaceId, roomId })
  // A stay that goes on grows longer from one answer to the next.
  await byHand.tell('left', roomId, presence)

  const csv = await client.getAttendance({ spaceId, roomId, callId, format: 'csv' })
  expectTypeOf(csv).toEqualTypeOf<Blob>()
  expect(csv.type).toBe('text/csv;charset=utf-8')
  expect(await csv.text()).toMatch(/^"Room","Name",.*\r\n"Room","ada","","Moderator",/)
  const xlsx = await client.getSpaceAttendance({ spaceId, callId, format: 'xlsx' })
  expect(Buffer.from(await xlsx.arrayBuffer()).subarray(0, 2)).toEqual(Buffer.from('PK'))

  const { items } = await client.getAttendance({ spaceId, roomId, callId })
  expect(items).toEqual((await client.getAttendance({ spaceId, roomId, callId, format: 'json' })).items)
  expect(items).toMatchObject([{ name: 'ada', role: 'moderator' }])
  const gone = client.getSpaceAttendance({ spaceId, callId: roomId, format: 'csv' })
  await expect(gone).rejects.toMatchObject({ status: 404, code: 'not_found' })
})

test('gets page after page with for await, and no more than are looked at', async () => {
  const asked: string[] = []
  const client = createClient({
    baseUrl: lectern.url,
    fetch: (input, init) => {
      asked.push(String(input))
      return fetch(input, init)
    },
  })
  await client.signIn('ada', ada.password)
  const { id: spaceId } = await client.createSpaces({ name: 'Space' })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await client.createRooms({ spaceId, name })
  asked.length = 0
  const names: string[] = []
  for await (const { name } of client.listRooms({ spaceId, limit: 2 })) names.push(name)
  expect(names).toEqual(['e', 'd', 'c', 'b', 'a'])
  expect(asked).toHaveLength(3)
  for await (const { name } of client.listRooms({ spaceId, limit: 2 })) if (name === 'd') break
  expect(asked).toHaveLength(4)
})

test('acts as an API client without a user, and gets itself a new token', async () => {
  const { clientId, clientSecret } = await lectern
    .withToken((await ada.signIn('ada', ada.password)).access_token)
    .createClient({ name: 'Backend' })
  const kept: Tokens[] = []
  const client = createClient({ baseUrl: lectern.url, clientId, clientSecret, onTokens: tokens => kept.push(tokens) })
  await Promise.all([client.listSpaces(), client.listSpaces()])
  expect(kept).toHaveLength(1)
  lectern.advance(FIFTEEN_MINUTES + 1000)
  await client.listSpaces()
  expect(kept).toHaveLength(2)
  const stranger = createClient({ baseUrl: lectern.url, clientId, clientSecret: 'wrong' })
  await expect(stranger.listSpaces()).rejects.toMatchObject({ code: 'invalid_client' })
})

test('waits as long as the service says when there are too many requests, up to a limit', async () => {
  let refusals = 2
  let asked = 0
  const limited: typeof fetch = async () => {
    asked++
    return refusals-- > 0
      ? Response.json({ code: 'rate_limited', detail: 'Later' }, { status: 429, headers: { 'retry-after': '0.02' } })
      : Response.json({ items: [], nextCursor: null })
  }
  const client = createClient({ baseUrl: lectern.url, token: 'token', fetch: limited })
  expect((await client.listSpaces()).items).toEqual([])
  expect(asked).toBe(3)

  refusals = 2
  const hasty = createClient({ baseUrl: lectern.url, token: 'token', fetch: limited, maxWaitSeconds: 0.03 })
  await expect(hasty.listSpaces()).rejects.toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 0.02 })
  expect(asked).toBe(5)

  refusals = 1
  const waiting = new AbortController()
  const answer = client.listSpaces({}, { signal: waiting.signal })
  waiting.abort(new Error('given up'))
  await expect(answer).rejects.toThrow('given up')
})
