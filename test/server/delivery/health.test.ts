import { expect, test } from 'vitest'
import { openWebhook, until, withEvents } from '../../support/events.ts'
import { startLectern } from '../../support/lectern.ts'
import { startReceiver, status } from '../../support/receiver.ts'

/* What is known of a webhook before its deliveries are given up. */

test('a webhook says that deliveries fail while they are retried, and no longer once they succeed', async () => {
  const receiver = await startReceiver()
  const lectern = withEvents(
    await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1', LECTERN_WEBHOOK_SCHEDULE: '0,60,60' }),
  )
  const opened = await openWebhook(lectern, receiver)
  const { owner, spaceId } = opened
  const health = () => owner.getWebhookHealth({ spaceId })
  const attemptsOf = async () => (await health()).retrying?.attempts.map(({ status }) => status)
  receiver.on(opened.path, status(500))

  // What is sent by hand says nothing of the events.
  const { id: deliveryId } = await owner.testWebhook({ spaceId })
  await until(async () => expect((await owner.getDelivery({ spaceId, deliveryId })).attempts[0]?.status).toBe(500))
  expect(await health()).toMatchObject({ consecutiveFailures: 0, failingSince: null, retrying: null })

  await lectern.record(spaceId)
  await until(async () => expect(await attemptsOf()).toEqual([500]))
  const { retrying, ...first } = await health()
  expect(retrying).toMatchObject({ eventName: 'call_started', state: 'pending', nextAttemptAt: expect.any(String) })
  expect(first).toMatchObject({ isActive: true, consecutiveFailures: 0, failingSince: retrying?.attempts[0]?.at })

  lectern.pass(73_000, opened)
  await until(async () => expect(await attemptsOf()).toEqual([500, 500]))
  // The one with the most attempts, whatever came after it.
  await lectern.record(spaceId)
  await until(async () => expect((await opened.deliveries()).at(-1)?.attempts).toHaveLength(1))
  expect(await attemptsOf()).toEqual([500, 500])
  expect((await health()).failingSince).toBe(first.failingSince)

  receiver.on(opened.path, status(200))
  lectern.pass(73_000, opened)
  await until(async () => expect(await health()).toMatchObject({ failingSince: null, retrying: null }))
  await receiver.close()
})
