import { expect, type Installation, test } from './support/lectern.ts'
import { signIn } from './support/room.ts'
import { shoot } from './support/shots.ts'

/** A school with something on every page. */
const makeSchool = async ({ operator }: Installation) => {
  const { id: spaceId } = await operator.createSpaces({
    name: 'Riverside School',
    description: 'Mathematics and physics, grades 7 to 11',
  })
  const [roomId = ''] = await Promise.all(
    [
      { name: 'Algebra, first lesson' },
      { name: 'Open day', type: 'webinar' as const, isPublic: true },
      { name: 'Physics: waves' },
    ].map(async room => (await operator.createRooms({ spaceId, ...room })).id),
  )
  await operator.generateAccess({ spaceId, roomId, role: 'user', username: 'Grace Hopper' })
  await operator.generateAccess({ spaceId, roomId, role: 'moderator', isPermanent: true })
  for (const role of ['role_space_user', 'role_space_moderator'] as const)
    await operator.createInvite({ spaceId, role })
  for (const name of ['ada', 'mary'])
    await operator.createUser({ email: `${name}@school.example`, username: name, password: 'a long password' })
  await operator.createClient({ name: 'School backend' })
  return { spaceId, roomId }
}

test('the console', async ({ lectern, page }) => {
  const { url, operator } = lectern
  const open = async (path: string, heading: string | RegExp, name: string) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(url + path)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await page.waitForLoadState('networkidle')
    await shoot(page, name, { fullPage: true })
  }
  await open('/sign-in', /.*/, 'console-sign-in')
  await signIn(page, lectern)
  await open('/spaces', 'Spaces', 'console-no-spaces')
  const { spaceId, roomId } = await makeSchool(lectern)
  await open('/spaces', 'Spaces', 'console-spaces')
  await open(`/spaces/${spaceId}`, 'Rooms', 'console-rooms')
  await open(`/spaces/${spaceId}/rooms/${roomId}`, 'Algebra, first lesson', 'console-room')
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
  await open('/operator/users', 'Users', 'console-users')
  await open('/operator/spaces', 'All spaces', 'console-all-spaces')
  await open('/operator/state', /.*/, 'console-state')
  await open('/spaces/nowhere', /.*/, 'console-not-found')
})
