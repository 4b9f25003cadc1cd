import type { Page } from '@playwright/test'
import { verifyWebhook } from '../../client/webhooks.ts'
import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import { admit, newPerson, openAs, type Person } from './support/console.ts'
import { expectFit, unexpected } from './support/fit.ts'
import { expect, type Installation, test, watchForComplaints } from './support/lectern.ts'
import { enter } from './support/participant.ts'

test.use({ environment: { LECTERN_WEBHOOK_SCHEDULE: '0,2,2', LECTERN_CALL_GRACE: '1' } })

let receiver: Receiver
test.beforeAll(async () => {
  receiver = await startReceiver()
})
test.afterAll(() => receiver.close())

interface Place {
  owner: Person
  spaceId: string
  /** Where this space's callbacks go. */
  path: string
  url: string
}

const newPlace = async (lectern: Installation): Promise<Place> => {
  const owner = await newPerson(lectern)
  const { id: spaceId } = await owner.api.createSpaces({ name: 'Evening school' })
  return { owner, spaceId, path: `/${spaceId}`, url: `${receiver.url}/${spaceId}` }
}

const openWebhook = (page: Page, lectern: Installation, { owner, spaceId }: Pick<Place, 'owner' | 'spaceId'>) =>
  openAs(page, lectern, owner, `/spaces/${spaceId}/webhook`)

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const confirm = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name }).click()

/** From the dialog that shows it this once. */
const takeSecret = async (page: Page) => {
  const field = page.getByRole('dialog').getByLabel('Secret', { exact: true })
  await expect(field).toHaveValue(/^whsec_/)
  const secret = await field.inputValue()
  await button(page, 'I’ve saved it').click()
  await expect(page.getByRole('dialog')).toBeHidden()
  return secret
}

test('the whole life of a webhook', async ({ page, lectern }) => {
  test.setTimeout(120_000)
  const complaints = watchForComplaints(page)
  const place = await newPlace(lectern)
  const { owner, spaceId, path, url } = place
  await openWebhook(page, lectern, place)
  await expect(page.getByRole('heading', { name: 'No webhook yet' })).toBeVisible()
  await expectFit(page)

  // What is no address is said at its field, and nothing is made.
  await page.getByLabel('Endpoint URL').fill('school.example')
  await button(page, 'Create webhook').click()
  await expect(page.getByText('Enter an address that starts with https')).toBeVisible()
  await page.getByLabel('Endpoint URL').fill(url)
  await button(page, 'Create webhook').click()
  await expect(page.getByRole('dialog')).toContainText('You won’t be able to see it again')
  await expectFit(page)
  const secret = await takeSecret(page)
  await page.reload()
  await expect(section(page, 'Status')).toContainText(url)
  await expect(section(page, 'Status')).toContainText('Active')
  await expect(page.locator('body')).not.toContainText('whsec_')
  await expect(section(page, 'Deliveries')).toContainText('No deliveries yet')

  // A test arrives, signed with that secret, and is followed to its end.
  await button(page, 'Send test event').click()
  await expect(page.getByRole('status')).toContainText(/^Delivered\. Your endpoint returned 200 in \d+ ms\./)
  expect(verifyWebhook(receiver.at(path)[0]?.raw ?? '', secret)).toMatchObject({ eventName: 'webhook_test', spaceId })
  const log = page.getByRole('table', { name: 'Deliveries' })
  await expect(log.getByRole('row')).toHaveCount(2)
  await expect(log.getByRole('row').last()).toContainText(/Test event.*Delivered.*1/)
  await expectFit(page)

  // Its page tells what was sent, and what came back.
  await page.getByRole('link', { name: 'View delivery' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Test event')
  await expect(section(page, 'Attempts')).toContainText(/Attempt 1.*Your endpoint returned 200\..*status 200/)
  await expect(section(page, 'Attempts')).toContainText('ok')
  await expect(section(page, 'Body').first()).toContainText(`"spaceId": "${spaceId}"`)
  await expectFit(page)

  // A receiver in trouble: each attempt is explained, and the next one announced, until there is none.
  receiver.on(path, status(500, 'the database is away'))
  await button(page, 'Resend').click()
  await expect(page.getByRole('status')).toContainText(
    /Attempt 1 of 3 failed\. Your endpoint returned 500\. Only 2xx counts as success\. Next attempt at \d/,
  )
  await expect(page.getByRole('status')).toContainText('Delivery failed after 3 attempts', { timeout: 20_000 })
  await expect(section(page, 'Attempts').getByRole('listitem')).toHaveCount(3)
  await expect(section(page, 'Attempts')).toContainText('the database is away')
  await expectFit(page)

  // Fixed, it is sent again, with the same body, as a new delivery.
  receiver.on(path, status(204))
  const failedAt = page.url()
  await button(page, 'Resend').click()
  await expect(page.getByRole('status')).toContainText('Your endpoint returned 204')
  expect(page.url()).not.toBe(failedAt)
  const bodies = receiver.at(path).map(({ raw }) => raw)
  expect(new Set(bodies).size).toBe(1)

  // The log by state, kept in the address.
  await page.getByRole('link', { name: 'Webhook', exact: true }).first().click()
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed')
  await expect(log.getByRole('row')).toHaveCount(2)
  await expect(log.getByRole('row').last()).toContainText(/Failed.*3/)
  await expect(page).toHaveURL(/\?state=failed$/)
  await page.getByRole('combobox', { name: 'Event' }).selectOption('Call started')
  await expect(section(page, 'Deliveries')).toContainText('No matching deliveries')
  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Event' })).toHaveValue('call_started')
  await page.getByRole('combobox', { name: 'Event' }).selectOption('All events')
  await expect(page).toHaveURL(/\?state=failed$/)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('All statuses')
  await expect(log.getByRole('row')).toHaveCount(4)

  // Other events.
  await page.getByRole('checkbox', { name: 'Participant joined' }).check()
  await page.getByRole('checkbox', { name: 'Call started' }).uncheck()
  await expect
    .poll(async () => (await owner.api.getWebhookEvents({ spaceId })).events)
    .toEqual(['call_finished', 'participant_joined'])
  await page.reload()
  await expect(page.getByRole('checkbox', { name: 'Call started' })).not.toBeChecked()
  await expect(page.getByRole('checkbox', { name: 'Participant joined' })).toBeChecked()

  // A new secret signs the next request; the old one is gone from its body.
  await button(page, 'Create new secret').click()
  await expect(page.getByRole('dialog')).toContainText('the old secret stays valid for 24 hours')
  await confirm(page, 'Create new secret')
  const newSecret = await takeSecret(page)
  expect(newSecret).not.toBe(secret)
  await button(page, 'Send test event').click()
  await expect(page.getByRole('status')).toContainText('Delivered')
  const raw = receiver.at(path).at(-1)?.raw ?? ''
  expect([verifyWebhook(raw, secret), verifyWebhook(raw, newSecret)?.eventName]).toEqual([null, 'webhook_test'])

  // Another address.
  await button(page, 'Change').click()
  await page.getByRole('dialog').getByLabel('Endpoint URL').fill(`${url}/moved`)
  await confirm(page, 'Save')
  await expect(section(page, 'Status')).toContainText(`${url}/moved`)
  await button(page, 'Send test event').click()
  await expect.poll(() => receiver.at(`${path}/moved`).length).toBe(1)

  // Off: neither tests nor repeats, and the page says so.
  await page.getByRole('switch', { name: 'Send events' }).click()
  await expect(page.getByText('This webhook is off')).toBeVisible()
  await expect(button(page, 'Send test event')).toBeDisabled()
  await expectFit(page)
  expect((await owner.api.getWebhook({ spaceId })).isActive).toBe(false)
  await page.goto(failedAt)
  await expect(page.getByText('Turn the webhook on to resend this event.')).toBeVisible()
  await expect(button(page, 'Resend')).toBeHidden()
  await page.getByRole('link', { name: 'Go to webhook' }).click()
  await page.getByRole('switch', { name: 'Send events' }).click()
  await expect(section(page, 'Status')).toContainText('Active')

  // Gone; what it sent stays on record.
  await button(page, 'Delete webhook').click()
  await expect(page.getByRole('dialog')).toContainText('You can’t undo this')
  await confirm(page, 'Delete webhook')
  await expect(page.getByRole('heading', { name: 'No webhook yet' })).toBeVisible()
  await expect(log.getByRole('row')).toHaveCount(6)
  await page.goto(failedAt)
  await expect(page.getByText('The webhook was deleted, so this event can’t be resent.')).toBeVisible()
  expect(unexpected(complaints)).toEqual([])
})

test('a webhook that the service has blocked says why, and is switched on again', { tag: '@long' }, async ({
  page,
  lectern,
}) => {
  const complaints = watchForComplaints(page)
  const place = await newPlace(lectern)
  const { owner, spaceId, path, url } = place
  await owner.api.createWebhook({ spaceId, url })
  // Only real events count towards a block, so a call takes place.
  const { id: roomId } = await owner.api.createRooms({ spaceId, name: 'Algebra' })
  receiver.on(path, status(410))
  await openWebhook(page, lectern, place)
  await expect(section(page, 'Status')).toContainText('Active')
  const { room } = await enter(owner.api, { spaceId, roomId })
  await expect(page.getByRole('alert')).toContainText('Your endpoint returned 410 Gone')
  await expect(section(page, 'Status')).toContainText(/Turned off by Lectern, now/)
  await room.disconnect()
  await expectFit(page)
  receiver.on(path, status(200))
  await button(page, 'Turn on').click()
  await expect(page.getByRole('alert')).toBeHidden()
  await expect(section(page, 'Status')).toContainText('Active')
  await page.getByRole('link', { name: 'Call started' }).click()
  await expect(section(page, 'Attempts')).toContainText('no longer accepts events')
  await button(page, 'Resend').click()
  await expect(page.getByRole('status')).toContainText('Your endpoint returned 200')
  expect(unexpected(complaints)).toEqual([])
})

test('an address that is refused, and a request that did not arrive, are said where they belong', async ({
  page,
  lectern,
}) => {
  const place = await newPlace(lectern)
  const { owner, spaceId, url } = place
  await owner.api.createWebhook({ spaceId, url })
  await openWebhook(page, lectern, place)
  // This installation allows private addresses; others answer like this.
  const refused = { code: 'address_not_allowed', errors: [{ path: '/url', code: 'address_not_allowed', params: {} }] }
  await page.route('**/webhook', (route, request) =>
    request.method() === 'PUT'
      ? route.fulfill({ status: 400, contentType: 'application/problem+json', body: JSON.stringify(refused) })
      : route.continue(),
  )
  await button(page, 'Change').click()
  await page.getByRole('dialog').getByLabel('Endpoint URL').fill('http://192.168.0.7/')
  await confirm(page, 'Save')
  await expect(page.getByRole('dialog').getByText('not reachable from the internet')).toBeVisible()
  await button(page, 'Cancel').click()
  await page.getByRole('switch', { name: 'Send events' }).click()
  await expect(page.getByText('not reachable from the internet')).toBeVisible()
  await expect(page.getByRole('switch', { name: 'Send events' })).toBeChecked()
})

test('without a plan, and to others than the owner, it says what is missing', async ({ page, lectern }) => {
  const complaints = watchForComplaints(page)
  const place = await newPlace(lectern)
  const { owner, spaceId } = place
  await lectern.operator.setSpacePlan({ spaceId, plan: 'free' })
  await openWebhook(page, lectern, place)
  await expect(page.getByText('This space is on the Free plan')).toBeVisible()
  await expectFit(page)
  await lectern.operator.setSpacePlan({ spaceId, plan: 'business', activeUntil: '2026-01-31T09:30:00.000Z' })
  await page.reload()
  await expect(page.getByText('The plan of this space ended on Jan 31, 2026')).toBeVisible()

  const moderator = await newPerson(lectern)
  await admit(owner.api, spaceId, moderator, 'role_space_moderator')
  await openWebhook(page, lectern, { owner: moderator, spaceId })
  await expect(page.getByText('Only the owner can manage the webhook')).toBeVisible()
  expect(complaints).toEqual([])
})

test('the log comes page by page', async ({ page, lectern }) => {
  const place = await newPlace(lectern)
  const { owner, spaceId, url } = place
  await owner.api.createWebhook({ spaceId, url })
  for (let i = 0; i < 12; i++) await owner.api.testWebhook({ spaceId })
  await openWebhook(page, lectern, place)
  const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row')
  await expect(rows).toHaveCount(11)
  await button(page, 'Show more').click()
  await expect(rows).toHaveCount(13)
  await expect(button(page, 'Show more')).toBeHidden()
})
