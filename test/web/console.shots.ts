import { createClient } from '../../client/client.ts'
import { expect, test } from './support/lectern.ts'
import { signIn } from './support/room.ts'
import { makeSchool } from './support/school.ts'
import { shootPage } from './support/shots.ts'

test('the console', async ({ lectern, page }) => {
  const { url, operator } = lectern
  const open = async (path: string, heading: string | RegExp, name: string) => {
    await page.goto(url + path)
    await shootPage(page, heading, name)
  }
  await open('/sign-in', /.*/, 'console-sign-in')
  await signIn(page, lectern)
  await open('/spaces', 'Spaces', 'console-no-spaces')
  const { spaceId, lesson } = await makeSchool(operator)
  for (const name of ['ada', 'mary'])
    await operator.createUser({ email: `${name}@school.example`, username: name, password: 'a long password' })
  await operator.createClient({ name: 'School backend' })
  await open('/spaces', 'Spaces', 'console-spaces')
  await open(`/spaces/${spaceId}`, 'Rooms', 'console-rooms')
  await open(`/spaces/${spaceId}/rooms/${lesson.alias}`, 'Algebra, first lesson', 'console-room')
  await operator.updateRoom({ spaceId, roomId: lesson.id, isLocked: true })
  await open(`/spaces/${spaceId}/rooms/${lesson.alias}`, 'Algebra, first lesson', 'console-room-locked')
  await operator.updateRoom({ spaceId, roomId: lesson.id, isLocked: false })
  for (const tab of ['people', 'permissions', 'calls'])
    await open(`/spaces/${spaceId}/rooms/${lesson.alias}/${tab}`, 'Algebra, first lesson', `console-room-${tab}`)
  await open(`/spaces/${spaceId}/people`, 'People', 'console-people')
  await open(`/spaces/${spaceId}/calls`, 'Past calls', 'console-no-calls')
  await open(`/spaces/${spaceId}/webhook`, 'Webhook', 'console-no-webhook')
  await operator.createWebhook({ spaceId, url: 'http://127.0.0.1:9/callbacks' })
  const { id: deliveryId } = await operator.testWebhook({ spaceId })
  await expect
    .poll(async () => (await operator.getDelivery({ spaceId, deliveryId })).attempts[0]?.outcome)
    .toBe('connection')
  await open(`/spaces/${spaceId}/webhook`, 'Webhook', 'console-webhook')
  await open(`/spaces/${spaceId}/webhook/deliveries/${deliveryId}`, /.*/, 'console-delivery')
  await open(`/spaces/${spaceId}/settings`, 'Settings', 'console-space-settings')
  await open('/account', /.*/, 'console-account')
  await open('/clients', 'API clients', 'console-clients')
  await operator.createPersonalToken({ name: 'Attendance export', scopes: ['calls:read', 'rooms:read'] })
  const { token } = await operator.createPersonalToken({ name: 'School backend' })
  await createClient({ baseUrl: url, token }).getMe()
  await open('/tokens', 'Personal access tokens', 'console-tokens')
  await open('/operator/users', 'Users', 'console-users')
  await open('/operator/spaces', 'All spaces', 'console-all-spaces')
  await open('/operator/state', /.*/, 'console-state')
  await open('/spaces/nowhere', /.*/, 'console-not-found')
})
