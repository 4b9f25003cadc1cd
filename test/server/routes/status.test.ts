import { expect, inject, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { callsByHand } from '../../support/calls.ts'
import { createCast } from '../../support/cast.ts'
import { refusal, startLectern } from '../../support/lectern.ts'
import { startReceiver } from '../../support/receiver.ts'

test('the operator sees what runs, how much is going on and what fails; nobody else does', async () => {
  const lectern = await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
  const { owner, spaceId } = await createCast(lectern)
  expect(await refusal(owner.getStatus())).toEqual([403, 'not_allowed'])
  expect(await refusal(lectern.anonymous.getStatus())).toEqual([401, 'token_required'])

  const isSqlite = inject('database') === 'sqlite'
  const quiet = await lectern.operator.getStatus()
  expect(quiet).toMatchObject({
    version: packageJson.version,
    nodes: inject('database') === 'nodes' ? 2 : 1,
    database: { kind: isSqlite ? 'sqlite' : 'postgres' },
    media: { status: 'off', percent: null },
    calls: { live: 0, participants: 0 },
    deliveries: { pending: 0, oldestDueAt: null, failingWebhooks: 0, blockedWebhooks: 0 },
  })
  expect(quiet.disk?.freeBytes).toBeGreaterThan(0)
  expect(quiet.disk?.totalBytes).toBeGreaterThan(quiet.disk?.freeBytes ?? 0)

  const { tell, join, db } = await callsByHand(lectern)
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
  const presence = await join(roomId, { userId: owner.id })
  await tell('joined', roomId, presence)
  const receiver = await startReceiver()
  await owner.createWebhook({ spaceId, url: receiver.url })
  await db.updateTable('webhooks').set({ failingSince: 1, blockedAt: 1 }).where('spaceId', '=', spaceId).execute()
  const busy = await lectern.operator.getStatus()
  expect(busy.calls).toEqual({ live: 1, participants: 1 })
  expect(busy.deliveries).toMatchObject({ failingWebhooks: 1, blockedWebhooks: 1 })

  await tell('left', roomId, presence)
  await tell('closed', roomId)
  expect((await lectern.operator.getStatus()).calls.participants).toBe(0)
  await receiver.close()
  await db.destroy()
})
