import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { type EventName, events } from '../../../contract/events.ts'
import { type OperationName, operations } from '../../../contract/operations.ts'
import { newId } from '../../../server/ids.ts'
import { listProminent } from '../../../server/store/calls.ts'
import { databaseFile, openDb, transact } from '../../../server/store/db.ts'
import { startHousekeeping } from '../../../server/store/housekeeping.ts'
import { enrol } from '../../../server/store/participants.ts'
import { findPresence, replaceOthers } from '../../../server/store/presence.ts'
import { callsByHand } from '../../support/calls.ts'
import { tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import { PIXEL } from '../../support/pixel.ts'
import { recorderByHand } from '../../support/recorder.ts'
import { streamerByHand } from '../../support/streamer.ts'

/*
 * No query reads a whole table to find a few rows. The SQL is that which really runs while every operation is used
 * once; SQLite then says how it would go about each. PostgreSQL has the same indexes.
 */

const seen = new Set<string>()
const used = new Set<string>()
const streaming = streamerByHand()
let lectern: Lectern
let plans: { sql: string; steps: string[] }[]

const isAboutOurData = (text: string) =>
  /^(?:\/\*.*?\*\/)?\s*(select|update|delete|with)\b/i.test(text) &&
  !/kysely_migration|sqlite_master|pragma_/i.test(text)

beforeAll(async () => {
  const prepare = Database.prototype.prepare
  vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Database.Database, text) {
    if (isAboutOurData(text)) seen.add(text)
    return prepare.call(this, text)
  } as typeof prepare)
  const env = { LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1', LECTERN_RECORD_QUOTA_GB: '1', LECTERN_DIRECT_MEMBERS: 'on' }
  lectern = await startLectern(env, { recorder: recorderByHand().recorder, streamer: streaming.streamer })
  await useEverything()
  vi.restoreAllMocks()

  const database = new Database(databaseFile(lectern.config), { readonly: true })
  plans = [...seen].map(sql => {
    const parameters = Array.from({ length: sql.split('?').length - 1 }, () => null)
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as { detail: string }[]
    return { sql, steps: steps.map(({ detail }) => detail) }
  })
  database.close()
}, 60_000)

/** The same person, noting which operations have succeeded. */
const noting = (person: Person): Person =>
  new Proxy(person, {
    get(target, name: string) {
      const method = target[name as OperationName] as unknown
      if (typeof method !== 'function' || !(name in operations)) return method
      return async (...input: unknown[]) => {
        const answer = await method(...input)
        used.add(name)
        return answer
      }
    },
  })

async function useEverything() {
  const operator = noting(lectern.operator)
  const people = await Promise.all([lectern.user(), lectern.user(), lectern.user()])
  const [owner, member, leaver] = people.map(noting) as [Person, Person, Person]
  const anonymous = noting({ ...owner, ...lectern.anonymous })
  /** The first page and one after it: a cursor makes another query. */
  const pages = async (list: (query: { limit?: number; cursor?: string }) => Promise<unknown>) => {
    await list({})
    await list({ limit: 1, cursor: owner.id })
  }

  // Accounts, tokens and API clients.
  await operator.createUser({ email: 'new@example.com', username: 'new', password: 'password' })
  await owner.getMe()
  await owner.updateMe({ displayName: 'Owner' })
  await pages(query => owner.listSessions(query))
  const second = await anonymous.createToken({
    grant_type: 'password',
    username: `${leaver.username.replaceAll(' ', '.')}@example.com`,
    password: leaver.password,
  })
  const tokens = await anonymous.createToken({
    grant_type: 'refresh_token',
    refresh_token: second.refresh_token ?? '',
  })
  await anonymous.createToken({ grant_type: 'refresh_token', refresh_token: second.refresh_token ?? '' })
  const { items: sessions } = await leaver.listSessions()
  await leaver.endSession({ sessionId: sessions.find(({ isCurrent }) => !isCurrent)?.id ?? '' })
  await leaver.endOtherSessions()
  await leaver.changePassword({ currentPassword: leaver.password, newPassword: 'another password' })
  await operator.resetPassword({ userId: leaver.id, password: leaver.password, endClients: true })
  await anonymous.revokeToken({ token: tokens.refresh_token ?? '' })
  await leaver.signIn(leaver.username, leaver.password)
  const { clientId, clientSecret } = await owner.createClient({ name: 'Client' })
  await anonymous.createToken({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret })
  await pages(query => owner.listClients(query))
  await owner.deleteClient({ clientId })
  const personal = await owner.createPersonalToken({ name: 'Token' })
  await lectern.withToken(personal.token).getMe()
  await pages(query => owner.listPersonalTokens(query))
  await owner.deletePersonalToken({ tokenId: personal.id })
  await anonymous.revokeToken({ token: (await owner.createPersonalToken({ name: 'Token' })).token })
  await useCookies(owner)

  // Spaces, members, invites.
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' }, { idempotencyKey: 'key' })
  await owner.createSpaces({ name: 'Space' }, { idempotencyKey: 'key' })
  await owner.getSpace({ spaceId })
  await owner.updateSpace({ spaceId, description: 'Described' })
  const { logo } = await owner.setSpaceLogo({ spaceId, file: new Blob([PIXEL], { type: 'image/png' }) })
  await fetch(logo ?? '')
  await owner.updateSpace({ spaceId, logo: null })
  await operator.setSpacePlan({ spaceId, plan: 'business' })
  await pages(query => owner.listSpaces(query))
  await owner.updateSpace({ spaceId, externalId: 'school' })
  await pages(query => owner.listSpaces({ externalId: 'school', ...query }))
  await pages(query => operator.listAllSpaces(query))
  await operator.getStatus()
  await pages(query => operator.listUsers(query))
  await pages(query => operator.listUsers({ externalId: 'x', ...query }))
  await pages(query => operator.listUsers({ email: 'new@example.com', ...query }))
  await operator.updateUser({ userId: member.id, externalId: 'member' })
  await operator.getUser({ userId: member.id })
  await pages(query => operator.listUsers({ q: 'a', ...query }))
  const invite = (role: 'role_space_user' | 'role_space_moderator') => owner.createInvite({ spaceId, role })
  const { id: inviteId } = await invite('role_space_user')
  await anonymous.inspectInvite({ spaceId, inviteId })
  await member.activateInvite({ spaceId, inviteId })
  await leaver.activateInvite({ spaceId, inviteId: (await invite('role_space_moderator')).id })
  await anonymous.registerWithInvite({
    spaceId,
    inviteId: (await invite('role_space_user')).id,
    email: 'registered@example.com',
    username: 'registered',
    password: 'password',
  })
  await owner.revokeInvite({ spaceId, inviteId: (await invite('role_space_user')).id })
  await pages(query => owner.listInvites({ spaceId, ...query }))
  await pages(query => leaver.listInvites({ spaceId, ...query }))
  await pages(query => owner.listMembers({ spaceId, ...query }))
  await pages(query => owner.listMembers({ spaceId, q: 'a', ...query }))
  await pages(query => owner.listMembers({ spaceId, role: 'role_space_user', ...query }))
  await pages(query => owner.listMembers({ spaceId, role: 'role_space_user', q: 'a', ...query }))
  await owner.createInvites({ spaceId, role: 'role_space_user', labels: ['Ada', 'Bob'] })
  await owner.setMemberRole({ spaceId, userId: member.id, role: 'role_space_user' })
  await owner.setMemberRole({ spaceId, userId: leaver.id, role: 'role_space_user' })
  await owner.setMemberRole({ spaceId, userId: leaver.id, role: 'role_space_moderator' })
  await owner.setSpaceOwner({ spaceId, userId: leaver.id })
  await leaver.setSpaceOwner({ spaceId, userId: owner.id })

  // Rooms, roles, links, of all of which a webhook is told.
  await owner.createWebhook({ spaceId, url: 'http://127.0.0.1:9' })
  await owner.setWebhookEvents({ spaceId, events: Object.keys(events) as EventName[] })
  const { id: roomId, alias } = await owner.createRooms({ spaceId, name: 'Room' })
  await owner.getRoom({ spaceId, roomId })
  await owner.getRoom({ spaceId, roomId: alias })
  await anonymous.getRoomByAlias({ alias })
  await owner.updateRoom({ spaceId, roomId, name: 'Changed', externalId: 'course' })
  await pages(query => owner.listRooms({ spaceId, externalId: 'course', ...query }))
  await owner.grantRole({ spaceId, roomId, targetUserId: member.id, role: 'role_room_user' })
  await pages(query => owner.listRoles({ spaceId, roomId, ...query }))
  await pages(query => owner.listRoles({ spaceId, roomId, role: 'role_room_user', ...query }))
  await owner.getRole({ spaceId, roomId, userId: member.id })
  await pages(query => owner.listRooms({ spaceId, ...query }))
  await pages(query => member.listRooms({ spaceId, ...query }))
  for (const anyone of [owner, member]) await pages(query => anyone.listRooms({ spaceId, q: 'a', ...query }))
  for (const sort of ['createdAt', 'name', '-name'] as const)
    for (const filter of [{}, { type: 'lesson' }, { live: 'true' }, { live: 'false' }] as const)
      for (const anyone of [owner, member])
        await pages(query => anyone.listRooms({ spaceId, ...filter, sort, ...query }))
  await pages(query => owner.searchRooms({ q: 'a', ...query }))
  const accessToken = tokenOf(await owner.generateAccess({ spaceId, roomId, role: 'user', username: 'Guest' }))
  await anonymous.inspectAccess({ accessToken })
  const { guestToken, guestId } = await anonymous.redeemAccess({ accessToken })
  await lectern.withToken(guestToken).getRoom({ spaceId, roomId })
  const unnamed = tokenOf(await owner.generateAccess({ spaceId, roomId, role: 'user' }))
  const named = await anonymous.redeemAccess({ accessToken: unnamed, participantName: 'Guest' })
  const guest = noting({ ...owner, ...lectern.withToken(named.guestToken) })
  await guest.renameGuest({ spaceId, roomId, participantName: 'Renamed' })
  await useCall(owner, { guestToken, guestId }, { spaceId, roomId }, pages)
  await pages(query => owner.listLinks({ spaceId, roomId, ...query }))
  await pages(query => owner.listLinks({ spaceId, roomId, state: 'open', ...query }))
  const { items: links } = await owner.listLinks({ spaceId, roomId })
  const linkId = links[0]?.id ?? ''
  await pages(query => owner.listLinkGuests({ spaceId, roomId, linkId, ...query }))
  await owner.generateAccess({ spaceId, roomId, role: 'user' })
  const { items: unused } = await owner.listLinks({ spaceId, roomId, limit: 1 })
  await owner.getLinkUrl({ spaceId, roomId, linkId: unused[0]?.id ?? '' })
  await owner.revokeLink({ spaceId, roomId, linkId })
  await owner.revokeRole({ spaceId, roomId, userId: member.id })

  await owner.deleteWebhook({ spaceId })
  await useWebhook(owner, spaceId, pages)

  // The audit log, with each filter and some together.
  const filters = [{}, { action: 'room.created' }, { actorId: owner.id }, { from: '2026-01-01T00:00:00Z' }] as const
  for (const filter of [...filters, { ...filters[1], ...filters[2], to: '2099-01-01T00:00:00Z' }]) {
    await pages(query => owner.listSpaceAudit({ spaceId, ...filter, ...query }))
    await pages(query => operator.listAudit({ ...filter, ...query }))
  }

  // Endings, and what is done without a request.
  await owner.removeMember({ spaceId, userId: member.id })
  await owner.addMember({ spaceId, userId: member.id, role: 'role_space_user' })
  await owner.addMember({ spaceId, email: 'new@example.com', role: 'role_space_user' })
  await owner.deleteRoom({ spaceId, roomId })
  await operator.deleteUser({ userId: leaver.id })
  await owner.deleteSpace({ spaceId })
  await lectern.request('GET', '/readyz')
  await lectern.request('GET', '/metrics')
  await sweep()
}

async function useCall(
  owner: Person,
  { guestToken, guestId }: { guestToken: string; guestId: string },
  at: { spaceId: string; roomId: string },
  pages: (list: (query: { limit?: number; cursor?: string }) => Promise<unknown>) => Promise<void>,
) {
  const { db, join, tell } = await callsByHand(lectern)
  await tell('joined', at.roomId, await join(at.roomId, { userId: owner.id }))
  const guest = await join(at.roomId, { guestId })
  await tell('joined', at.roomId, guest)

  const { participantId } = guest
  const { spaceId } = at
  const { id: callId } = await owner.getLiveCall(at)
  await pages(query => owner.listCallParticipants({ ...at, ...query }))
  await owner.listCallParticipants({ ...at, q: 'guest' })
  // As of a call with too many in it to list them all.
  await listProminent(db, { id: callId, roomId: at.roomId }, `user:${owner.id}`, 1)
  // As of who asks before joining, and comes instead of their other tabs.
  const person = { roomId: at.roomId, userId: null, guestId }
  for (const externalUserId of [null, 'pupil7']) {
    await findPresence(db, { ...person, externalUserId }, 'tab-0002')
    const tabKey = `tab-0002-${externalUserId}`
    const id = await enrol(db, newId(Date.now()), { ...person, tabKey, isReplacing: true }, externalUserId, Date.now())
    await transact(db, trx => replaceOthers(trx, id ?? '', Date.now()))
  }
  await owner.setHand({ ...at, raised: true })
  await owner.updateRoom({ ...at, isFloorAllowed: true, isHandRaisingAllowed: false })
  await owner.setFloor({ ...at, participantId, onAir: true })
  await owner.setSpotlight({ ...at, participantId })
  await owner.lowerHand({ ...at, participantId, raised: false })
  await owner.lowerAllHands(at)
  await owner.returnFloor(at)
  await owner.sendReaction({ ...at, reaction: 'clap' })
  await owner.setCallName({ ...at, name: 'Teacher' })
  await expect(owner.muteAll({ ...at, source: 'camera' })).rejects.toThrow('media engine is turned off')
  const { id: messageId } = await lectern.withToken(guestToken).createMessage({ ...at, text: 'Hello' })
  await owner.createMessage({ ...at, text: 'Hello' })
  const guestClient = lectern.withToken(guestToken)
  for (const filter of [undefined, 'questions', 'unanswered'] as const)
    for (const client of [owner, guestClient])
      await pages(query => client.listMessages({ ...at, ...(filter && { filter }), ...query }))
  await owner.updateRoom({ ...at, type: 'webinar' })
  const question = await guestClient.createMessage({ ...at, text: 'Why?', to: 'hosts', isQuestion: true })
  await owner.setAnswered({ ...at, messageId: question.id, answered: true })
  await owner.deleteMessage({ ...at, messageId })
  await owner.getParticipantLink({ ...at, participantId })
  await owner.removeParticipant({ ...at, participantId })
  const { items: bans } = await owner.listBans(at)
  await pages(query => owner.listBans({ ...at, ...query }))
  await owner.liftBan({ ...at, banId: bans[0]?.id ?? '' })
  await useWaitingRoom(owner, lectern.withToken(guestToken), at, pages)
  await useRecorder(owner, at, pages)
  await useStream(owner, at, callId)
  await tell('left', at.roomId, guest)
  await tell('closed', at.roomId)
  await owner.endCall(at)
  await pages(query => owner.listCalls({ ...at, ...query }))
  await owner.getRoomCall({ ...at, callId })
  await owner.getAttendance({ ...at, callId })
  await pages(query => owner.listCallMessages({ ...at, callId, ...query }))
  await (await owner.listCallMessages({ ...at, callId, format: 'txt' })).text()
  await pages(query => owner.listSpaceCalls({ spaceId, ...query }))
  await pages(query => owner.listSpaceCalls({ spaceId, q: 'a', ...query }))
  for (const state of ['live', 'ended'] as const) {
    await pages(query => owner.listCalls({ ...at, state, ...query }))
    await pages(query => owner.listSpaceCalls({ spaceId, state, ...query }))
    const period = { from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z', state }
    await pages(query => owner.listCalls({ ...at, ...period, ...query }))
    await pages(query => owner.listSpaceCalls({ spaceId, ...period, sort: 'startedAt', ...query }))
    await pages(query => owner.listSpaceCalls({ spaceId, ...period, q: 'a', ...query }))
  }
  await owner.getSpaceCall({ spaceId, callId })
  await owner.getSpaceAttendance({ spaceId, callId })
  await pages(query => owner.listSpaceCallMessages({ spaceId, callId, ...query }))
}

async function useRecorder(
  owner: Person,
  at: { spaceId: string; roomId: string },
  pages: (list: (query: { limit?: number; cursor?: string }) => Promise<unknown>) => Promise<void>,
) {
  const { id: recordId } = await owner.startRecord(at)
  const one = { ...at, recordId }
  await vi.waitFor(async () => expect((await owner.getRecord(one)).state).toBe('recording'), { timeout: 10_000 })
  await owner.stopRecord(at)
  await vi.waitFor(async () => expect((await owner.getRecord(one)).state).toBe('ready'), { timeout: 10_000 })
  await pages(query => owner.listRecords({ ...at, ...query }))
  await pages(query => owner.listRecords({ ...at, callId: at.roomId, ...query }))
  await fetch((await owner.getRecord(one)).pictureUrl ?? '')
  await fetch((await owner.downloadRecord(one)).url)
  await owner.getRecordUsage({ spaceId: at.spaceId })
  await owner.deleteRecord(one)
}

async function useStream(owner: Person, at: { spaceId: string; roomId: string }, callId: string) {
  await owner.startStream(at)
  await vi.waitFor(() => expect(streaming.going.has(callId)).toBe(true), { timeout: 10_000 })
  await streaming.add(callId, 'segment')
  await fetch((await owner.watchStream(at)).playlistUrl)
  await owner.getLiveCall(at)
  await owner.stopStream(at)
  await vi.waitFor(() => expect(streaming.going.has(callId)).toBe(false), { timeout: 10_000 })
}

async function useWaitingRoom(
  owner: Person,
  guest: Client,
  at: { spaceId: string; roomId: string },
  pages: (list: (query: { limit?: number; cursor?: string }) => Promise<unknown>) => Promise<void>,
) {
  // The guest who has been in the call need not wait.
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', username: 'Late' }))
  const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken })
  const late = lectern.withToken(guestToken)
  await owner.updateRoom({ ...at, waitingRoomAudience: 'guests' })
  for (let twice = 0; twice < 2; twice++) await late.joinRoom(at)
  await pages(query => owner.listWaiting({ ...at, ...query }))
  const participantId = (await owner.listWaiting(at)).items[0]?.participantId ?? ''
  await owner.denyWaiting({ ...at, participantId })
  await owner.admitAllWaiting(at)
  await owner.admitWaiting({ ...at, participantId })
  for (const person of [late, guest]) await expect(person.joinRoom(at)).rejects.toThrow('media engine is turned off')
  await owner.updateRoom({ ...at, isLocked: true })
}

async function useCookies(owner: Person) {
  const origin = new URL(lectern.url).origin
  const cookiesOf = (headers: Headers) =>
    headers
      .getSetCookie()
      .map(cookie => cookie.split(';')[0])
      .join('; ')
  const { username, password } = owner
  const signedIn = await lectern.request('POST', '/v1/auth/session', { body: { username, password } })
  const renewed = await lectern.request('POST', '/v1/auth/session/refresh', {
    headers: { origin, cookie: cookiesOf(signedIn.headers) },
  })
  const found = await lectern.request('GET', '/v1/auth/session', {
    headers: { cookie: cookiesOf(renewed.headers) },
  })
  const ended = await lectern.request('DELETE', '/v1/auth/session', {
    headers: { origin, cookie: cookiesOf(renewed.headers) },
  })
  expect([signedIn, renewed, found, ended].map(({ status }) => status)).toEqual([200, 200, 200, 200])
  for (const name of ['createSession', 'refreshSession', 'getSession', 'deleteSession']) used.add(name)
}

async function useWebhook(
  owner: Person,
  spaceId: string,
  pages: (list: (query: { limit?: number; cursor?: string }) => Promise<unknown>) => Promise<void>,
) {
  const receiver = createServer((_request, response) => response.end())
  await new Promise<void>(done => receiver.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  await owner.createWebhook({ spaceId, url })
  await owner.updateWebhook({ spaceId, url, isActive: true })
  await owner.getWebhook({ spaceId })
  await owner.refreshSecret({ spaceId })
  await owner.setWebhookEvents({ spaceId, events: ['call_started'] })
  await owner.getWebhookEvents({ spaceId })
  const { id: deliveryId } = await owner.testWebhook({ spaceId })
  const read = () => owner.getDelivery({ spaceId, deliveryId })
  await vi.waitFor(async () => expect((await read()).state).toBe('delivered'), { timeout: 10_000 })
  await owner.redeliver({ spaceId, deliveryId })
  await pages(query => owner.listDeliveries({ spaceId, ...query }))
  await owner.listDeliveries({ spaceId, state: 'delivered' })
  await owner.listDeliveries({ spaceId, eventName: 'webhook_test' })
  await owner.getWebhookHealth({ spaceId })
  await owner.updateWebhook({ spaceId, url, isActive: false })
  await owner.deleteWebhook({ spaceId })
  receiver.close()
}

/** Housekeeping, as the service does it every ten minutes. */
async function sweep() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const db = await openDb(lectern.config)
  const log = { warn: (what: unknown) => expect(what).toBeUndefined() } as never
  const stop = startHousekeeping(db, lectern.config, log, Date.now, () => true)
  await vi.advanceTimersToNextTimerAsync()
  // Its last statement, which finds nobody.
  await vi.waitFor(() => expect([...seen].join()).toMatch(/select "id" from "participants" where "id" > \? and "id" </))
  stop()
  vi.useRealTimers()
  await db.destroy()
}

describe('query plans', () => {
  test('are of all operations: whoever adds one uses it here', () => {
    // These need the media engine, and ask the database nothing that others do not.
    const not: OperationName[] = ['joinRoom', 'muteAll', 'muteParticipant']
    expect((Object.keys(operations) as OperationName[]).filter(name => !used.has(name) && !not.includes(name))).toEqual(
      [],
    )
  })

  test('are also of what is marked', () => {
    expect(plans.filter(({ sql }) => sql.startsWith('/* finds one */')).length).toBeGreaterThanOrEqual(5)
  })

  test('read no table from end to end', () => {
    const scans = plans.flatMap(({ sql, steps }) =>
      steps.filter(step => /^SCAN /.test(step) && !mayScan(step, sql)).map(step => `${step}  <-  ${sql}`),
    )
    expect(scans).toEqual([])
  })

  test('sort nothing that an index has in order', () => {
    const sorts = plans.flatMap(({ sql, steps }) =>
      steps.filter(step => /TEMP B-TREE/.test(step) && !maySort(sql)).map(step => `${step}  <-  ${sql}`),
    )
    expect(sorts).toEqual([])
  })

  test('use the indexes made for single owners, roles, open links, public rooms, large calls and people of other systems', () => {
    const indexes = new Set(plans.flatMap(({ steps }) => steps.flatMap(step => / INDEX (\w+)/.exec(step)?.[1] ?? [])))
    expect([...indexes]).toEqual(
      expect.arrayContaining([
        'members_one_owner',
        'members_by_role',
        'members_by_role_and_name',
        'roomRoles_by_role',
        'links_open',
        'rooms_public',
        'stays_inside',
        'stays_moderators',
        'participants_hands',
        'participants_floor',
        'participants_by_external_user',
        'bans_by_external_user',
        'rooms_public_by_name',
        'calls_live',
        'callMessages_by_call',
        'callMessages_private',
        'callMessages_questions',
      ]),
    )
  })
})

function mayScan(step: string, sql: string) {
  // A subquery's own rows, no table's.
  if (/^SCAN (public|own|role|asked|moderators|floor|hands|json_each|\(subquery|\d+ CONSTANT|CONSTANT)/.test(step))
    return true
  // The operator's lists are of all there is, a page at a time, in the order of ids.
  if (/^SCAN (users|members) USING (COVERING )?INDEX/.test(step)) return / limit \?$/.test(sql)
  if (/^SCAN audit USING INDEX/.test(step)) return !/ where /.test(sql)
  // Whether there is any user at all: the first will do.
  if (/^SCAN users/.test(step)) return sql === 'select "id" from "users" limit ?'
  // A migration looks at all there is.
  if (/^SCAN bans$/.test(step)) return /^update "bans" set "externalUserId" = \(select/.test(sql)
  // The queue's index holds what is pending and nothing else; these two want all of it.
  if (/^SCAN deliveries USING (COVERING )?INDEX deliveries_queue/.test(step)) return true
  // What recorders have to look after, and what is to be removed, have indexes of their own.
  if (/^SCAN records USING (COVERING )?INDEX records_(unfinished|deleted)/.test(step)) return true
  // Only the operator asks what all recordings take.
  if (step === 'SCAN records')
    return /^select count\(\*\) as "count", sum\("size"\) as "size" from "records" where "deletedAt" is null$/.test(sql)
  // Only streams that go on are there.
  if (/^SCAN streams/.test(step)) return true
  // What is counted has an index of its own, and is all of it.
  if (/^SCAN (stays|webhooks) USING (COVERING )?INDEX (stints_open|webhooks_failing|webhooks_blocked)/.test(step))
    return /^\s*select count\(\*\)/.test(sql)
  // Likewise the calls going on.
  return /^SCAN calls USING (COVERING )?INDEX calls_open/.test(step)
}

function maySort(sql: string) {
  // The rooms a plain user may join come from three places, one page from each.
  return / union /.test(sql) || /select distinct "webhookId"/.test(sql)
}
