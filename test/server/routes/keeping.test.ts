import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../../server/ids.ts'
import { forgetOldActs } from '../../../server/store/audit.ts'
import { forgetOldCalls } from '../../../server/store/calls.ts'
import { createSweep } from '../../../server/store/housekeeping.ts'
import { forgetOldLinks } from '../../../server/store/links.ts'
import { forgetExpiredSessions } from '../../../server/store/sessions.ts'
import { callsByHand } from '../../support/calls.ts'
import { createCast, DAY, MINUTE, newToken, tokenOf } from '../../support/cast.ts'
import { type Lectern, refusal, startLectern } from '../../support/lectern.ts'

/* What is kept for how long. Chat is in messages.test.ts, the delivery log in delivery/worker.test.ts. */

let lectern: Lectern
beforeAll(async () => {
  lectern = await startLectern({
    LECTERN_KEEP_CALLS_DAYS: '5',
    LECTERN_KEEP_LINKS_DAYS: '3',
    LECTERN_KEEP_DELIVERIES_DAYS: '2',
    LECTERN_KEEP_AUDIT_DAYS: '4',
    LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
  })
})
afterAll(() => lectern.stop())

const openRoom = async (here = lectern) => {
  const { owner, spaceId } = await createCast(here)
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
  const byHand = await callsByHand(here)
  onTestFinished(() => byHand.db.destroy())
  const sweepAt = (time: number) => createSweep(byHand.db, here.config, () => time)()
  return { owner, at: { spaceId, roomId }, byHand, sweepAt }
}

/** Rows in all of these tables. */
const countIn = async ({ db }: Awaited<ReturnType<typeof callsByHand>>, ...tables: string[]) => {
  let count = 0
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
    count += Number(rows[0]?.count)
  }
  return count
}

test('calls go some days after they ended, with their attendance and who was only there', async () => {
  const { owner, at, byHand, sweepAt } = await openRoom()
  const { spaceId, roomId } = at
  const presence = await byHand.join(roomId, { userId: owner.id })
  await byHand.tell('joined', roomId, presence)
  await byHand.tell('left', roomId, presence)
  await byHand.sweep()
  const { items } = await owner.listCalls(at)
  const [{ id: callId, endedAt } = { id: '', endedAt: '' }] = items
  const another = await owner.createRooms({ spaceId, name: 'Goes on' })
  await byHand.tell('joined', another.id, await byHand.join(another.id, { userId: owner.id }))

  const lastDay = Date.parse(endedAt ?? '') + 5 * DAY
  await sweepAt(lastDay)
  expect((await owner.getAttendance({ ...at, callId })).items).toHaveLength(1)
  await sweepAt(lastDay + MINUTE)
  expect((await owner.listCalls(at)).items).toEqual([])
  expect(await refusal(owner.getAttendance({ ...at, callId }))).toEqual([404, 'not_found'])
  const { db } = byHand
  expect(await db.selectFrom('stays').select('id').where('callId', '=', callId).execute()).toEqual([])
  expect(await db.selectFrom('participants').select('id').where('roomId', '=', roomId).execute()).toEqual([])
  // One that began that long ago and has not ended stays.
  expect((await owner.listCalls({ spaceId, roomId: another.id })).items).toHaveLength(1)
})

test('links go some days after they expired, were revoked or used up, but not while a guest is let in by them', async () => {
  const { owner, at, byHand, sweepAt } = await openRoom()
  const link = async (ttl: number, isPermanent = false) => {
    const token = tokenOf(await owner.generateAccess({ ...at, role: 'user', username: 'Grace', ttl, isPermanent }))
    const [newest] = (await owner.listLinks(at)).items
    return { token, id: newest?.id ?? '' }
  }
  const redeem = ({ token }: { token: string }) => lectern.anonymous.redeemAccess({ accessToken: token })
  const WEEK = (7 * DAY) / 1000
  const [expired, revoked, usedUp, waiting, permanent, crowded] = [
    await link(60),
    await link(WEEK),
    await link(WEEK),
    await link(WEEK),
    await link(WEEK, true),
    await link(WEEK),
  ]
  await owner.revokeLink({ ...at, linkId: revoked.id })
  for (const used of [usedUp, permanent, crowded]) await redeem(used)
  // Guests have a day; this one has more.
  await byHand.db
    .updateTable('guests')
    .set({ expiresAt: Date.now() + 10 * DAY })
    .where('linkId', '=', crowded.id)
    .execute()
  const ids = async () => {
    const { items } = await lectern.withToken(await newToken(lectern, owner)).listLinks(at)
    return items.map(({ id }) => id).sort()
  }
  const all = [expired, revoked, usedUp, waiting, permanent, crowded].map(({ id }) => id).sort()
  const start = Date.now()
  await sweepAt(start + 3 * DAY - MINUTE)
  expect(await ids()).toEqual(all)
  await sweepAt(start + 3 * DAY + 2 * MINUTE)
  expect(await ids()).toEqual([waiting.id, permanent.id, crowded.id].sort())
  await sweepAt(start + 10 * DAY - MINUTE)
  expect(await ids()).toEqual([waiting.id, permanent.id, crowded.id].sort())
  await sweepAt(start + 10 * DAY + 2 * MINUTE)
  expect(await ids()).toEqual([])
})

test('the delivery log is kept as long as the setting says', async () => {
  const { owner, at, sweepAt } = await openRoom()
  const { spaceId } = at
  await owner.createWebhook({ spaceId, url: 'http://127.0.0.1:9' })
  const { id: deliveryId } = await owner.testWebhook({ spaceId })
  await owner.deleteWebhook({ spaceId })
  await vi.waitFor(
    async () => expect((await owner.getDelivery({ spaceId, deliveryId })).state).not.toBe('pending'),
    10_000,
  )
  const start = Date.now()
  await sweepAt(start + 2 * DAY - MINUTE)
  await owner.getDelivery({ spaceId, deliveryId })
  await sweepAt(start + 2 * DAY + MINUTE)
  expect(await refusal(owner.getDelivery({ spaceId, deliveryId }))).toEqual([404, 'not_found'])
})

test('the audit log is kept as long as the setting says', async () => {
  const { owner, at, sweepAt } = await openRoom()
  const { spaceId } = at
  const { items: before } = await owner.listSpaceAudit({ spaceId })
  const start = Date.now()
  await sweepAt(start + 4 * DAY - MINUTE)
  expect((await owner.listSpaceAudit({ spaceId })).items).toEqual(before)
  await sweepAt(start + 4 * DAY + MINUTE)
  expect((await owner.listSpaceAudit({ spaceId })).items).toEqual([])
})

test('no transaction deletes many rows, not even with all that belongs to them', async () => {
  const here = await startLectern()
  const { owner, at, byHand } = await openRoom(here)
  const { db } = byHand
  const BATCH = 10
  const old = Date.now() - 100 * DAY
  const oldId = () => newId(old)
  const many = <T>(row: () => T) => Array.from({ length: 35 }, row)

  const session = { kind: 'user', clientId: null, userAgent: null, createdAt: old, lastUsedAt: old } as const
  const sessionIds = [newId(Date.now()), newId(Date.now())]
  const expired = { userId: owner.id, ...session, expiresAt: old }
  await db
    .insertInto('sessions')
    .values(sessionIds.map(id => ({ id, ...expired })))
    .execute()
  for (const sessionId of sessionIds)
    await db
      .insertInto('refreshTokens')
      .values(many(() => ({ hash: newId(Date.now()), sessionId, rotatedAt: old })))
      .execute()

  const call = { ...at, roomName: 'Room', channelId: 'x', startedAt: old, lastSeenAt: old, emptySince: old }
  const callIds = [oldId(), oldId()]
  await db
    .insertInto('calls')
    .values(callIds.map(id => ({ id, ...call, endedAt: old, wasEnded: false })))
    .execute()
  for (const callId of callIds) {
    const stays = many(() => {
      const who = { participantId: oldId(), userId: null, externalUserId: null, name: 'Ada', role: 'user' } as const
      return { id: oldId(), callId, connectionId: newId(Date.now()), ...who, joinedAt: old, leftAt: old }
    })
    await db.insertInto('stays').values(stays).execute()
    const participants = stays.map(({ participantId: id }) => ({
      ...{ id, roomId: at.roomId, person: `user:${id}`, userId: null, guestId: null, tabKey: id },
      ...({ externalUserId: null, handRaisedAt: null, hasFloor: false, isReplacing: false, createdAt: old } as const),
    }))
    await db.insertInto('participants').values(participants).execute()
  }
  const links = many(() => ({
    ...({
      id: oldId(),
      hash: newId(Date.now()),
      sealed: null,
      label: null,
      roomId: at.roomId,
      role: 'user',
      username: 'Ada',
      externalUserId: null,
    } as const),
    ...({
      isPermanent: false,
      createdBy: null,
      createdAt: old,
      expiresAt: old,
      usedAt: null,
      revokedAt: null,
    } as const),
  }))
  await db.insertInto('links').values(links).execute()

  const act = { at: old, action: 'room.created', actorKind: 'user', actorId: owner.id, actorName: 'Ada' } as const
  const about = { address: null, tokenId: null, spaceId: null, targetType: 'room', targetId: 'x' } as const
  const acts = many(() => ({ id: oldId(), ...act, ...about, targetName: null, details: '{}' }))
  await db.insertInto('audit').values(acts).execute()

  const before = Date.now() - DAY
  const stepwise = async (step: () => Promise<boolean>, tables: string[], gone: number) => {
    const all = await countIn(byHand, ...tables)
    let left = all
    for (let more = true; more; ) {
      more = await step()
      const now = await countIn(byHand, ...tables)
      // Two transactions: of the stays, and of whom nothing else tells.
      expect(left - now).toBeLessThanOrEqual(2 * BATCH)
      left = now
    }
    expect(all - left).toBe(gone)
  }
  await stepwise(() => forgetExpiredSessions(db, Date.now(), BATCH), ['sessions', 'refreshTokens'], 72)
  await stepwise(() => forgetOldCalls(db, before, Date.now(), BATCH), ['calls', 'stays', 'participants'], 142)
  await stepwise(() => forgetOldActs(db, before, BATCH), ['audit'], 35)
  await stepwise(() => forgetOldLinks(db, before, BATCH), ['links', 'guests'], 35)
})
