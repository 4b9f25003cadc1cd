import { newPerson, openAs } from './support/console.ts'
import { embed, startSchoolSite } from './support/embed.ts'
import { expect } from './support/lectern.ts'
import { join, makeRoom, signIn, test, withoutDevices } from './support/room.ts'
import { shoot } from './support/shots.ts'

/* Everything that stands before the call: the lobby as it can be, and why the door is closed. */

const { port } = await startSchoolSite()
const school = `http://127.0.0.1:${port}`
test.use({ environment: { LECTERN_EMBED_ORIGINS: school } })

test('links that no longer open the room', async ({ lectern, page }) => {
  const { link, spaceId, roomId } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  const { operator } = lectern
  const closed = async (title: string, name: string) => {
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await shoot(page, name)
  }
  const expired = await link('Grace Hopper', { ttl: 1 })
  const revoked = await link('Grace Hopper')
  const [newest] = (await operator.listLinks({ spaceId, roomId })).items
  await operator.revokeLink({ spaceId, roomId, linkId: newest?.id ?? '' })
  await page.goto(revoked)
  await closed('This link has been revoked', 'room-link-revoked')

  const accessToken = new URL(expired).searchParams.get('accessToken') ?? ''
  await expect.poll(() => operator.inspectAccess({ accessToken }).catch(({ code }) => code)).toBe('link_expired')
  await page.goto(expired)
  await closed('This link has expired', 'room-link-expired')

  for (const [problem, title, name] of [
    ['removed', 'You were removed from this room', 'room-removed'],
    ['internal', 'Please wait', 'room-busy'],
  ] as const) {
    await page.route('**/v1/access/inspect', route => route.fulfill({ status: 500, json: { code: problem } }))
    await page.goto(await link('Grace Hopper'))
    await closed(title, name)
  }
  await page.route('**/v1/access/inspect', route => route.abort())
  await page.goto(await link('Grace Hopper'))
  await closed('Can’t reach the server', 'room-unreachable')
  await page.unroute('**/v1/access/inspect')

  const gone = await link('Grace Hopper')
  await operator.deleteRoom({ spaceId, roomId })
  await page.goto(gone)
  await closed('Room not found', 'room-gone')
})

test('a guest who returns to a room where names can’t be changed', async ({ lectern, page }) => {
  const { link, spaceId, roomId } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  const url = await link()
  await join(page, url, 'Grace Hopper')
  await lectern.operator.updateRoom({ spaceId, roomId, isSelfRenamingAllowed: false })
  await page.goto(url)
  await expect(page.getByText('Changing names is off in this room.')).toBeVisible()
  await shoot(page, 'room-lobby-name-kept')
})

test('a room for who has an account', async ({ lectern, page, person }) => {
  const { operator, url } = lectern
  const { id: spaceId } = await operator.createSpaces({ name: 'Open school', isPublic: true })
  const { alias } = await operator.createRooms({ spaceId, name: 'Open day', isPublic: true })
  await page.goto(`${url}/room/${alias}`)
  await expect(page.getByRole('heading', { name: 'Sign in to join' })).toBeVisible()
  await shoot(page, 'room-sign-in')

  await signIn(page, lectern)
  const other = await person()
  await signIn(other.page, lectern)
  await join(other.page, `${url}/room/${alias}`)
  await page.goto(`${url}/room/${alias}`)
  await expect(page.getByText('operator is here.')).toBeVisible()
  await shoot(page, 'room-lobby-account')

  const closed = await makeRoom(lectern)
  await openAs(page, lectern, await newPerson(lectern), `/room/${closed.alias}`)
  await expect(page.getByRole('heading', { name: 'You don’t have access to this room' })).toBeVisible()
  await shoot(page, 'room-no-access')
})

test('a call that a moderator has ended', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await page.route('**/join', route => route.fulfill({ status: 409, json: { code: 'call_ended' } }))
  await page.goto(await link('Grace Hopper'))
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByText('You’ll join automatically')).toBeVisible()
  await shoot(page, 'room-call-ended')
})

test('a browser that cannot', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await page.addInitScript('delete window.RTCPeerConnection')
  await page.goto(await link('Grace Hopper'))
  await expect(page.getByRole('heading', { name: 'This browser isn’t supported' })).toBeVisible()
  await shoot(page, 'room-unsupported')
})

test('a page without https', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  await withoutDevices(page, 'insecure')
  await page.goto(await link('Grace Hopper'))
  await expect(page.getByText('Camera and microphone only work over HTTPS.')).toBeVisible()
  await shoot(page, 'room-lobby-insecure')
})

test('a page around it that keeps the camera to itself', async ({ lectern, page }) => {
  const { link } = await makeRoom(lectern)
  const room = await embed(page, school, await link('Grace Hopper'), '')
  await expect(room.getByText('The site that embeds this room blocks the camera and microphone.')).toBeVisible()
  await shoot(page, 'room-lobby-embedded')
})

test('the lobby as it can be', async ({ lectern, page, person }) => {
  const { link } = await makeRoom(lectern, { name: 'Algebra, and everything else that the year has in store for us' })
  await page.goto(await link())
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByText('Enter your name')).toBeVisible()
  await page.getByRole('button', { name: 'Camera', exact: true }).click()
  await page.getByRole('button', { name: 'Microphone', exact: true }).click()
  await shoot(page, 'room-lobby-name-missing')

  const webinar = await makeRoom(lectern, { type: 'webinar', name: 'Open day' })
  await page.goto(await webinar.link('Grace Hopper'))
  await expect(page.getByText('You’ll join as a viewer')).toBeVisible()
  await shoot(page, 'room-lobby-viewer')

  await page.route('**/readyz', route => route.fulfill({ json: { media: 'preparing', mediaPercent: 40 } }))
  await page.goto(await link('Grace Hopper'))
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByText('You’ll join automatically when it’s ready.')).toBeVisible()
  await shoot(page, 'room-preparing-wanted')

  await page.route('**/v1/access/inspect', () => {})
  await page.goto(await link('Grace Hopper'))
  await expect(page.getByText('Opening the room')).toBeAttached()
  await shoot(page, 'room-opening')

  const sofia = await person({ locale: 'ru-RU' })
  await sofia.page.goto(await link('София Ковалевская'))
  await expect(sofia.page.locator('video')).toBeVisible()
  await sofia.page.getByRole('button', { name: /Русский/ }).click()
  await expect(sofia.page.getByRole('menuitemradio', { name: 'English' })).toBeVisible()
  await shoot(sofia.page, 'room-lobby-russian')
})
