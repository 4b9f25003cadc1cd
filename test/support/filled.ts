import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, vi } from 'vitest'
import { verifyWebhook } from '../../client/webhooks.ts'
import { Problem, unlessRefused } from '../../server/http/problem.ts'
import { newId } from '../../server/ids.ts'
import { createRecord } from '../../server/store/records.ts'
import { createStream, writeViewers } from '../../server/store/streams.ts'
import { callsByHand } from './calls.ts'
import { createCast, newClientToken, tokenOf } from './cast.ts'
import { type Lectern, refusal } from './lectern.ts'
import { PIXEL } from './pixel.ts'
import { startReceiver } from './receiver.ts'

/**
 * Fills every table of an installation, through the interface where it can be. Gives what is to be seen in the same
 * installation after it was moved: everything that let somebody in before still does, and every secret is known.
 */
export const fill = async (lectern: Lectern) => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const { owner, moderator, member, spaceId } = await createCast(lectern)
  const idempotencyKey = randomUUID()
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Räume – 教室 🎓' }, { idempotencyKey })
  const at = { spaceId, roomId }
  const { logo } = await owner.setSpaceLogo({ spaceId, file: new Blob([PIXEL], { type: 'image/png' }) })
  await owner.grantRole({ ...at, targetUserId: moderator.id, role: 'role_room_moderator' })
  const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
  const link = (isPermanent: boolean) =>
    owner.generateAccess({ ...at, role: 'user', username: 'Grace', isPermanent }).then(tokenOf)
  const [used, unused] = [await link(false), await link(true)]
  const { guestToken } = await lectern.anonymous.redeemAccess({ accessToken: used })
  await owner.createWebhook({ spaceId, url: receiver.url })
  const { secret } = await owner.refreshSecret({ spaceId })
  const { id: deliveryId } = await owner.testWebhook({ spaceId })
  await vi.waitFor(
    async () => expect((await owner.getDelivery({ spaceId, deliveryId })).state).toBe('delivered'),
    10_000,
  )
  const gone = await owner.createRooms({ spaceId, name: 'Gone' })
  await owner.deleteRoom({ spaceId, roomId: gone.id })

  const byHand = await callsByHand(lectern)
  const presence = await byHand.join(roomId, { userId: owner.id }, 'external1')
  await byHand.tell('joined', roomId, presence)
  const { id: callId } = await owner.getLiveCall(at)
  await owner.createMessage({ ...at, text: 'Hello, “world” \\ \n\t é', isQuestion: true })
  const written = {
    id: newId(1),
    roomId,
    person: `user:${owner.id}`,
    name: 'Ada',
    role: 'user',
    text: 'Before',
  } as const
  await byHand.db
    .insertInto('messages')
    .values({ ...written, createdAt: 1 })
    .execute()
  await byHand.db.transaction().execute(async trx => {
    const call = await trx.selectFrom('calls').selectAll().where('id', '=', callId).executeTakeFirstOrThrow()
    await createRecord(trx, call, 1)
    await trx.updateTable('records').set({ state: 'failed', reason: 'disk_full', endedAt: 2, finishedAt: 3 }).execute()
    const stream = unlessRefused(await createStream(trx, call, { host: 'live.example.com', seal: () => 'sealed' }, 1), {
      already_streaming: () => new Problem('already_streaming'),
    })
    // It is forgotten half a minute after that.
    await trx
      .updateTable('streams')
      .set({ stopAt: 2, endedAt: Date.now() + 3600_000 })
      .execute()
    await writeViewers(trx, { streamId: stream.id, nodeId: 'node', viewers: 'a viewer', writtenAt: 1 })
  })
  await byHand.tell('left', roomId, presence)
  await byHand.sweep()
  const ban = {
    id: randomUUID(),
    roomId,
    person: `link:${randomUUID()}`,
    externalUserId: 'pupil7',
    name: 'Eve',
    createdAt: 1,
  }
  await byHand.db.insertInto('bans').values(ban).execute()
  await byHand.db
    .insertInto('callNames')
    .values({ roomId, person: `user:${owner.id}`, name: 'Ann' })
    .execute()
  await byHand.db.insertInto('rateLimits').values({ key: 'login:external', points: 1, expire: 1 }).execute()
  const waiting = {
    id: randomUUID(),
    roomId,
    person: `guest:${randomUUID()}`,
    participantId: randomUUID(),
    tabKey: 'tab-0002',
    name: 'Mallory',
    externalUserId: null,
    state: 'denied' as const,
    since: 1,
    seenAt: 1,
    decidedAt: 1,
  }
  await byHand.db.insertInto('waiting').values(waiting).execute()
  await byHand.db.destroy()

  const client = await newClientToken(lectern, owner)
  const { refresh_token } = await lectern.anonymous.createToken({
    grant_type: 'password',
    username: owner.username,
    password: owner.password,
  })
  const seenBy = async (here: Lectern) => {
    const reader = here.withToken(owner.token)
    const [calls, messages, links, deliveries, bans, rooms, records, audit] = await Promise.all([
      reader.listCalls(at),
      reader.listCallMessages({ ...at, callId }),
      reader.listLinks(at),
      reader.listDeliveries({ spaceId }),
      reader.listBans(at),
      reader.listRooms({ spaceId }),
      reader.listRecords(at),
      reader.listSpaceAudit({ spaceId }),
    ])
    // What waited is delivered in the end, wherever that is.
    return { calls, messages, links, deliveries: deliveries.items.map(({ id }) => id), bans, rooms, records, audit }
  }
  const before = await seenBy(lectern)
  const { calls, bans, messages, records } = before
  for (const { items } of [calls, bans, messages, records]) expect(items).toHaveLength(1)
  expect(before.audit.items.length).toBeGreaterThan(5)

  return async (after: Lectern) => {
    expect(await seenBy(after)).toEqual(before)
    const { anonymous } = after
    await anonymous.createToken({ grant_type: 'password', username: owner.username, password: owner.password })
    await anonymous.createToken({ grant_type: 'refresh_token', refresh_token })
    const { clientId: client_id, clientSecret: client_secret } = client
    await anonymous.createToken({ grant_type: 'client_credentials', client_id, client_secret })
    for (const token of [member.token, client.token]) await after.withToken(token).getMe()
    await after.withToken(guestToken).getRoom(at)
    const image = await fetch(after.url + new URL(logo ?? '').pathname)
    expect(Buffer.from(await image.arrayBuffer())).toEqual(PIXEL)
    expect(await refusal(anonymous.redeemAccess({ accessToken: used }))).toEqual([410, 'link_used'])
    await anonymous.redeemAccess({ accessToken: unused })

    const again = after.withToken(owner.token)
    expect(await again.createRooms({ spaceId, name: 'Räume – 教室 🎓' }, { idempotencyKey })).toMatchObject({
      id: roomId,
    })
    expect((await again.listInvites({ spaceId })).items.map(({ id }) => id)).toContain(inviteId)
    await after.operator.activateInvite({ spaceId, inviteId })
    const sent = receiver.callbacks.length
    await again.testWebhook({ spaceId })
    await vi.waitFor(() => expect(receiver.callbacks.length).toBeGreaterThan(sent), 10_000)
    expect(verifyWebhook(receiver.callbacks.at(-1)?.raw ?? '', secret)).toMatchObject({ spaceId })
  }
}
