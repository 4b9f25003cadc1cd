import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import { openAs } from './support/console.ts'
import { expect, test } from './support/lectern.ts'
import { enter } from './support/participant.ts'
import { makeSchool, newTeacher } from './support/school.ts'
import { shootDialog, shootPage } from './support/shots.ts'

test.use({ environment: { LECTERN_WEBHOOK_SCHEDULE: '0,1,1', LECTERN_CALL_GRACE: '1' } })

let receiver: Receiver
test.beforeAll(async () => {
  receiver = await startReceiver()
})
test.afterAll(() => receiver.close())

test('a webhook in all its states', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern)
  const { spaceId, lesson } = await makeSchool(ada.api)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const shootWebhook = (name: string) => shootPage(page, 'Webhook', name)
  await openAs(page, lectern, ada, `/spaces/${spaceId}/webhook`)
  await page.getByLabel('Endpoint URL').fill('school.example')
  await press('Create webhook')
  await expect(page.getByText('This is not a web address')).toBeVisible()
  await shootWebhook('console-webhook-address-refused')
  await page.getByLabel('Endpoint URL').fill(`${receiver.url}/callbacks`)
  await press('Create webhook')
  await shootDialog(page, 'console-webhook-secret')
  await press('I’ve saved it')

  await press('Send test event')
  await expect(page.getByRole('status')).toContainText('Delivered')
  await shootWebhook('console-webhook-tested')
  await page.getByRole('link', { name: 'View delivery' }).click()
  await shootPage(page, 'Test event', 'console-delivery-delivered')
  receiver.on('/callbacks', status(500, 'the database is away'))
  await press('Resend')
  await expect(page.getByRole('status')).toContainText('Delivery failed after 3 attempts')
  await shootPage(page, 'Test event', 'console-delivery-failed')

  await page.goto(`${lectern.url}/spaces/${spaceId}/webhook`)
  await press('Change')
  await shootDialog(page, 'console-webhook-change')
  await page.keyboard.press('Escape')
  await press('Create new secret')
  await shootDialog(page, 'console-webhook-new-secret')
  await page.keyboard.press('Escape')
  await press('Delete webhook')
  await shootDialog(page, 'console-webhook-delete')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByRole('switch', { name: 'Send events' }).click()
  await expect(page.getByText('This webhook is off')).toBeVisible()
  await shootWebhook('console-webhook-off')
  await page.getByRole('switch', { name: 'Send events' }).click()

  // Only a real event counts towards a block, and while it is retried the page says so.
  receiver.on('/callbacks', status(500, 'the database is away'))
  const { room: before } = await enter(ada.api, { spaceId, roomId: lesson.id })
  await expect(page.getByText(/Retrying \(\d of 3\), failing since/).first()).toBeVisible()
  await shootWebhook('console-webhook-retrying')
  await expect(page.getByText('Failing since')).toBeVisible()
  await shootWebhook('console-webhook-failing')
  await before.disconnect()
  receiver.on('/callbacks', status(410))
  const { room } = await enter(ada.api, { spaceId, roomId: lesson.id })
  await expect(page.getByRole('alert')).toContainText('Your endpoint returned 410 Gone')
  await shootWebhook('console-webhook-blocked')
  await room.disconnect()

  await page.getByRole('combobox', { name: 'Status' }).selectOption('Pending')
  await expect(page.getByText('No matching deliveries')).toBeVisible()
  await shootWebhook('console-webhook-none-such')

  await lectern.operator.setSpacePlan({ spaceId, plan: 'free' })
  await page.reload()
  await expect(page.getByText('This space is on the Free plan')).toBeVisible()
  await shootWebhook('console-webhook-no-plan')
  await lectern.operator.setSpacePlan({ spaceId, plan: 'business', activeUntil: '2026-01-31T09:30:00.000Z' })
  await page.reload()
  await expect(page.getByText('The plan of this space ended')).toBeVisible()
  await shootWebhook('console-webhook-plan-ended')
})
