import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { auditActions } from '../../../contract/actions.ts'
import type { Operation } from '../../../contract/operation.ts'
import { type OperationName, operations } from '../../../contract/operations.ts'
import { callsByHand } from '../../support/calls.ts'
import { admit, createCast, newClientToken, tokenOf } from '../../support/cast.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'
import { recorderByHand } from '../../support/recorder.ts'
import { streamerByHand } from '../../support/streamer.ts'

let lectern: Lectern
beforeAll(async () => {
  lectern = await startLectern(
    {
      LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
      LECTERN_TRUSTED_PROXIES: '127.0.0.1,::1',
      LECTERN_DIRECT_MEMBERS: 'on',
    },
    { recorder: recorderByHand().recorder, streamer: streamerByHand().streamer },
  )
})

/** Newest first, as they are listed. */
const actionsOf = async (list: Promise<{ items: { action: string }[] }>) =>
  (await list).items.map(({ action }) => action)

/** What changes something and is not in the audit log, and why. */
const unaudited: Partial<Record<OperationName, string>> = {
  createToken: 'a sign-in is a session, which its user sees in the list of sessions',
  createSession: 'a sign-in is a session, which its user sees in the list of sessions',
  refreshSession: 'the session goes on',
  deleteSession: 'a sign-out ends only the session of the caller',
  inspectAccess: 'changes nothing',
  redeemAccess: 'the link says when it was used, and attendance who came; thousands may come at once',
  renameGuest: 'attendance says who came, and the list of the link’s guests under which name',
  joinRoom: 'attendance says who came',
  setHand: 'part of the call, gone with it',
  admitWaiting: 'attendance says who came',
  denyWaiting: 'gone with the call',
  admitAllWaiting: 'attendance says who came',
  setFloor: 'part of the call, gone with it',
  muteAll: 'part of the call, gone with it',
  muteParticipant: 'part of the call, gone with it',
  lowerHand: 'part of the call, gone with it',
  lowerAllHands: 'part of the call, gone with it',
  returnFloor: 'part of the call, gone with it',
  setSpotlight: 'part of the call, gone with it',
  sendReaction: 'stores nothing',
  setCallName: 'attendance has the name',
  createMessage: 'the chat is kept itself',
  setAnswered: 'the chat is kept itself',
  testWebhook: 'in the delivery log',
  redeliver: 'in the delivery log',
}

test('every operation that changes something is in the audit log, or it is said why not', () => {
  const missing = Object.entries<Operation>(operations)
    .filter(([name, { method, audit }]) => method !== 'GET' && !audit?.length && !(name in unaudited))
    .map(([name]) => name)
  expect(missing).toEqual([])
  const both = Object.keys(unaudited).filter(name => (operations[name as OperationName] as Operation).audit)
  expect(both).toEqual([])
})

test('records every action, and by it no secret', async () => {
  const { operator, anonymous } = lectern
  const { owner, moderator, member, stranger, spaceId } = await createCast(lectern)
  const at = { spaceId, roomId: (await owner.createRooms({ spaceId, name: 'Algebra' })).id }
  const secrets = [owner.password, owner.token]
  await owner.updateSpace({ spaceId, description: 'Described' })
  await operator.setSpacePlan({ spaceId, plan: 'business' })
  await owner.updateRoom({ ...at, isPublic: true, isFloorAllowed: true })
  await owner.grantRole({ ...at, targetUserId: member.id, role: 'role_room_user' })
  await owner.revokeRole({ ...at, userId: member.id })
  const invite = await owner.createInvite({ spaceId, role: 'role_space_user' })
  await owner.revokeInvite({ spaceId, inviteId: invite.id })
  const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
  const username = `newcomer ${randomUUID().slice(0, 8)}`
  const account = { email: `${randomUUID()}@example.com`, username, password: 'newcomer password' }
  await anonymous.registerWithInvite({ spaceId, inviteId, ...account })
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'user', username: 'Grace' }))
  const { guestId, guestToken } = await anonymous.redeemAccess({ accessToken })
  secrets.push(invite.id, inviteId, account.password, accessToken, guestToken)

  const hook = 'http://user:word@127.0.0.1:9/hidden/path?key=hidden'
  const created = await owner.createWebhook({ spaceId, url: 'http://127.0.0.1:9/hidden' })
  const { secret } = await owner.refreshSecret({ spaceId })
  await owner.updateWebhook({ spaceId, url: hook, isActive: false })
  await owner.setWebhookEvents({ spaceId, events: ['call_started'] })
  await owner.deleteWebhook({ spaceId })
  secrets.push(created.secret, secret, 'hidden', 'word@')

  const byHand = await callsByHand(lectern)
  await byHand.tell('joined', at.roomId, await byHand.join(at.roomId, { userId: owner.id }))
  const guest = await byHand.join(at.roomId, { guestId })
  await byHand.tell('joined', at.roomId, guest)
  const message = await owner.createMessage({ ...at, text: 'Said in the chat' })
  await owner.deleteMessage({ ...at, messageId: message.id })
  await owner.removeParticipant({ ...at, participantId: guest.participantId })
  await owner.liftBan({ ...at, banId: (await owner.listBans(at)).items[0]?.id ?? '' })
  const { id: recordId } = await owner.startRecord(at)
  await owner.stopRecord(at)
  await owner.deleteRecord({ ...at, recordId })
  await owner.startStream({ ...at, url: 'rtmp://127.0.0.1/app/stream-key' })
  await owner.stopStream(at)
  await owner.endCall(at)
  await byHand.db.destroy()
  secrets.push('Said in the chat', 'stream-key')

  const [link] = (await owner.listLinks(at)).items
  await owner.revokeLink({ ...at, linkId: link?.id ?? '' })
  const client = await newClientToken(lectern, owner)
  await owner.deleteClient({ clientId: client.clientId })
  secrets.push(client.clientSecret, client.token)
  const personal = await owner.createPersonalToken({ name: 'Token' })
  await owner.deletePersonalToken({ tokenId: personal.id })
  secrets.push(personal.token)
  await stranger.updateMe({ displayName: 'Somebody', phone: '+15550100' })
  await anonymous.createToken({ grant_type: 'password', username: stranger.username, password: stranger.password })
  const { items: sessions } = await stranger.listSessions()
  await stranger.endSession({ sessionId: sessions.find(({ isCurrent }) => !isCurrent)?.id ?? '' })
  await stranger.endOtherSessions()
  await stranger.changePassword({ currentPassword: stranger.password, newPassword: 'changed password' })
  await operator.resetPassword({ userId: stranger.id, password: 'reset password' })
  await operator.deleteUser({ userId: stranger.id })
  secrets.push('changed password', 'reset password', '+15550100')
  await owner.setMemberRole({ spaceId, userId: member.id, role: 'role_space_moderator' })
  await owner.removeMember({ spaceId, userId: member.id })
  await owner.addMember({ spaceId, userId: member.id, role: 'role_space_user' })
  await owner.setSpaceOwner({ spaceId, userId: moderator.id })
  await moderator.setSpaceOwner({ spaceId, userId: owner.id })
  await moderator.removeMember({ spaceId, userId: moderator.id })
  await owner.deleteRoom(at)
  await owner.deleteSpace({ spaceId })

  const { items } = await operator.listAudit({ limit: 200 })
  expect(new Set(items.map(({ action }) => action))).toEqual(new Set(auditActions))
  const text = JSON.stringify(items) + (await (await operator.listAudit({ format: 'csv' })).text())
  expect(secrets.filter(known => text.includes(known))).toEqual([])
  const entry = (action: string) => items.find(found => found.action === action)
  expect(entry('webhook.updated')?.details).toEqual({ events: 'call_started' })
  expect(entry('room.updated')).toMatchObject({
    details: { isPublic: true, isFloorAllowed: true },
    target: { type: 'room', id: at.roomId, name: 'Algebra' },
    spaceId,
  })
  expect(entry('invite.used')).toMatchObject({ actor: { kind: 'user', name: username }, tokenId: null, spaceId })
  // What was done to spaces and accounts is known after they are gone, by the names they had.
  expect(entry('space.deleted')).toMatchObject({ actor: { id: owner.id }, target: { name: 'Space' }, spaceId })
  expect(entry('user.deleted')?.target).toEqual({ type: 'user', id: stranger.id, name: 'Somebody' })
  expect(entry('user.password_changed')?.actor).toEqual({ kind: 'user', id: stranger.id, name: 'Somebody' })
})

test('says who it was, from where and by which token', async () => {
  const { owner, spaceId } = await createCast(lectern)
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  const body = { name: 'Room' }
  await lectern.request('POST', `/v1/spaces/${spaceId}/rooms`, { token: owner.token, headers, body })
  const { token } = await newClientToken(lectern, owner)
  await lectern.withToken(token).createInvite({ spaceId, role: 'role_space_user' })
  const [invited, made] = (await owner.listSpaceAudit({ spaceId, limit: 2 })).items
  const session = (await owner.listSessions()).items.find(({ isCurrent }) => isCurrent)
  expect(made).toMatchObject({
    action: 'room.created',
    actor: { kind: 'user', id: owner.id, name: owner.username },
    address: '203.0.113.7',
    tokenId: session?.id,
    details: {},
  })
  expect(invited).toMatchObject({ action: 'invite.created', actor: { kind: 'client', id: owner.id } })
  expect(invited?.tokenId).not.toBe(session?.id)
})

test('a guest who moderates is recorded as one', async () => {
  const { owner, spaceId } = await createCast(lectern)
  const at = { spaceId, roomId: (await owner.createRooms({ spaceId, name: 'Room' })).id }
  const byHand = await callsByHand(lectern)
  await byHand.tell('joined', at.roomId, await byHand.join(at.roomId, { userId: owner.id }))
  const { id: messageId } = await owner.createMessage({ ...at, text: 'Hello' })
  const accessToken = tokenOf(await owner.generateAccess({ ...at, role: 'moderator', username: 'Grace' }))
  const { guestToken, guestId } = await lectern.anonymous.redeemAccess({ accessToken })
  await lectern.withToken(guestToken).deleteMessage({ ...at, messageId })
  const [entry] = (await owner.listSpaceAudit({ spaceId })).items
  expect(entry).toMatchObject({
    action: 'message.deleted',
    actor: { kind: 'guest', id: guestId, name: 'Grace' },
    tokenId: guestId,
  })
})

describe('what has changed nothing is not recorded', () => {
  test('a repeated request', async () => {
    const { owner, spaceId } = await createCast(lectern)
    const options = { idempotencyKey: randomUUID() }
    for (let time = 0; time < 3; time++) await owner.createRooms({ spaceId, name: 'Room' }, options)
    const actions = await actionsOf(owner.listSpaceAudit({ spaceId }))
    expect(actions.filter(action => action === 'room.created')).toHaveLength(1)
  })

  test('something refused, or as it was', async () => {
    const { owner, member, spaceId } = await createCast(lectern)
    const at = { spaceId, roomId: (await owner.createRooms({ spaceId, name: 'Room' })).id }
    const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
    await owner.revokeInvite({ spaceId, inviteId })
    await owner.generateAccess({ ...at, role: 'user' })
    const linkId = (await owner.listLinks(at)).items[0]?.id ?? ''
    await owner.revokeLink({ ...at, linkId })
    const before = await actionsOf(owner.listSpaceAudit({ spaceId }))
    await owner.revokeInvite({ spaceId, inviteId })
    await owner.revokeLink({ ...at, linkId })
    await owner.updateRoom({ ...at, name: 'Room' })
    await owner.updateSpace({ spaceId })
    await owner.setSpaceOwner({ spaceId, userId: owner.id })
    expect(await refusal(member.deleteRoom(at))).toEqual([403, 'not_allowed'])
    expect(await actionsOf(owner.listSpaceAudit({ spaceId }))).toEqual(before)
  })
})

test('is written with the change or not at all', async () => {
  const here = await startLectern()
  const { owner, spaceId } = await createCast(here)
  const { db } = here.running
  await sql`alter table "audit" rename to "away"`.execute(db)
  expect((await refusal(owner.createRooms({ spaceId, name: 'Room' })))[0]).toBeGreaterThanOrEqual(500)
  await sql`alter table "away" rename to "audit"`.execute(db)
  expect((await owner.listRooms({ spaceId })).items).toEqual([])
  await owner.createRooms({ spaceId, name: 'Room' })
  expect((await owner.listSpaceAudit({ spaceId, action: 'room.created' })).items).toHaveLength(1)
})

test('is for the owner and, all of it, for the operator', async () => {
  const { owner, moderator, member, stranger, spaceId } = await createCast(lectern)
  expect(await refusal(moderator.listSpaceAudit({ spaceId }))).toEqual([403, 'not_allowed'])
  expect(await refusal(member.listSpaceAudit({ spaceId, format: 'csv' }))).toEqual([403, 'not_allowed'])
  expect(await refusal(stranger.listSpaceAudit({ spaceId }))).toEqual([404, 'not_found'])
  expect(await refusal(owner.listAudit({}))).toEqual([403, 'not_allowed'])
  const other = await createCast(lectern)
  const { items } = await owner.listSpaceAudit({ spaceId, limit: 200 })
  expect(new Set(items.map(entry => entry.spaceId))).toEqual(new Set([spaceId]))
  const all = (await lectern.operator.listAudit({ limit: 200 })).items.map(entry => entry.spaceId)
  expect(all).toEqual(expect.arrayContaining([spaceId, other.spaceId, null]))
})

test('comes in pages, filtered by action, actor and time', async () => {
  const { owner, moderator, spaceId } = await createCast(lectern)
  const name = 'Room'
  await owner.createRooms({ spaceId, name })
  await moderator.createRooms({ spaceId, name })
  const all = (await owner.listSpaceAudit({ spaceId })).items
  const paged = []
  for (let cursor: string | undefined; ; ) {
    const page = await owner.listSpaceAudit({ spaceId, limit: 2, ...(cursor && { cursor }) })
    paged.push(...page.items)
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  expect(paged).toEqual(all)
  expect(all.map(({ at }) => at)).toEqual(
    all
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  )

  const idsOf = async (filter: Omit<Parameters<typeof owner.listSpaceAudit>[0], 'spaceId' | 'format'>) =>
    (await owner.listSpaceAudit({ spaceId, ...filter })).items.map(({ id }) => id)
  const which = (holds: (entry: (typeof all)[number]) => boolean) => all.filter(holds).map(({ id }) => id)
  const isRoom = ({ action }: { action: string }) => action === 'room.created'
  const isModerators = ({ actor }: { actor: { id: string | null } }) => actor.id === moderator.id
  expect(await idsOf({ action: 'room.created' })).toEqual(which(isRoom))
  expect(await idsOf({ actorId: moderator.id })).toEqual(which(isModerators))
  expect(await idsOf({ action: 'room.created', actorId: moderator.id })).toEqual(
    which(entry => isRoom(entry) && isModerators(entry)),
  )
  const ids = all.map(({ id }) => id)
  const in1h = new Date(Date.now() + 3_600_000).toISOString()
  const before1h = new Date(Date.now() - 3_600_000).toISOString()
  expect(await idsOf({ from: before1h, to: in1h })).toEqual(ids)
  expect(await idsOf({ to: before1h })).toEqual([])
  expect(await idsOf({ from: in1h })).toEqual([])
  expect(await idsOf({ from: '1900-01-01T00:00:00Z' })).toEqual(ids)
  expect((await lectern.operator.listAudit({ actorId: moderator.id, action: 'room.created' })).items).toHaveLength(1)
  for (const query of [
    'action=room.painted',
    'actorId=me',
    'from=yesterday',
    'to=2016-12-31T23:59:60Z',
    'to=9999-12-31T23:59:59-00:01',
    'format=xml',
  ])
    expect(
      (await lectern.request('GET', `/v1/spaces/${spaceId}/audit?${query}`, { token: owner.token })).body,
    ).toMatchObject({ status: 400, code: 'invalid_request' })
})

test('is a CSV file with all that matches, in which no name is a formula', async () => {
  const { owner, spaceId } = await createCast(lectern)
  await owner.createRooms({ spaceId, name: '=HYPERLINK("http://example.com")' })
  // More than the service reads at once.
  const { db } = lectern.running
  const [row] = await db.selectFrom('audit').selectAll().where('spaceId', '=', spaceId).limit(1).execute()
  if (!row) throw new Error('there is nothing to repeat')
  const copies = Array.from({ length: 1200 }, () => ({ ...row, id: randomUUID(), action: 'room.deleted' as const }))
  for (let from = 0; from < copies.length; from += 400)
    await db
      .insertInto('audit')
      .values(copies.slice(from, from + 400))
      .execute()

  const path = `/v1/spaces/${spaceId}/audit?format=csv`
  const { headers, body } = await lectern.request('GET', path, { token: owner.token })
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
  const [head, ...lines] = (body as string).trimEnd().split('\r\n')
  expect(head).toContain('"Time","Action","Actor"')
  const { items } = await owner.listSpaceAudit({ spaceId, action: 'room.created' })
  expect(lines.filter(line => line.includes('room.deleted'))).toHaveLength(1200)
  expect(lines.find(line => line.includes(items[0]?.id ?? '-') || line.includes('HYPERLINK'))).toContain(
    `"'=HYPERLINK(""http://example.com"")"`,
  )
  const some = await owner.listSpaceAudit({ spaceId, action: 'room.created', format: 'csv' })
  expect((await some.text()).trimEnd().split('\r\n')).toHaveLength(2)
})

test('an entry is kept by the name its actor had', async () => {
  const { owner, spaceId } = await createCast(lectern)
  const person = await lectern.user()
  await admit(owner, spaceId, person)
  await person.updateMe({ displayName: 'Renamed' })
  await lectern.operator.deleteUser({ userId: person.id })
  const { items } = await owner.listSpaceAudit({ spaceId, actorId: person.id })
  expect(items.map(({ actor }) => actor.name)).toEqual([person.username])
})
