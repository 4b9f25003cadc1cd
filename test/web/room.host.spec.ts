import { createClient } from '../../client/client.ts'
import { expect, expectAccessible, PHONE, untilNoticed } from './support/lectern.ts'
import { enter, enterAsGuest } from './support/participant.ts'
import {
  act,
  control,
  join,
  makeRoom,
  openChat,
  openPeople,
  signIn,
  test,
  tile,
  withDevicesOff,
} from './support/room.ts'

/* What a host does during the call, in one browser: the others are there without one. */

test.use({ actionTimeout: 20_000 })
const tokenOf = (url: string) => new URL(url).searchParams.get('accessToken') ?? ''

test('guest links are listed, copied again and revoked during the call, on a phone', async ({ lectern, person }) => {
  const { operator, url } = lectern
  const { link, address, alias: _, ...at } = await makeRoom(lectern)
  const anonymous = createClient({ baseUrl: url })
  const redeem = (url: string, participantName: string) =>
    anonymous.redeemAccess({ accessToken: tokenOf(url), participantName })
  const forParents = await link(undefined, { isPermanent: true, label: 'Parents' })
  await redeem(forParents, 'Ada')
  await link('Grace', { role: 'moderator' })
  // These have ended.
  await redeem(await link('Edsger'), 'Edsger')
  await link('Alan')
  const [newest] = (await operator.listLinks({ ...at, limit: 1 })).items
  await operator.revokeLink({ ...at, linkId: newest?.id ?? '' })

  const { page, complaints } = await person({
    viewport: PHONE,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await withDevicesOff(page)
  await signIn(page, lectern)
  // Page by page, without making as many as are on one.
  await page.route('**/links?state=open*', route => route.continue({ url: `${route.request().url()}&limit=1` }))
  await join(page, address)
  await control(page, 'More').click()
  await page.getByRole('menuitem', { name: 'Host controls' }).click()
  const links = page.getByRole('list', { name: 'Guest links' }).getByRole('listitem')
  await expect(links.first()).toContainText(/Grace.*Moderator · For one person.*Expires in 24 hours/)
  await page.getByRole('button', { name: 'Show more' }).click()
  const parents = links.filter({ hasText: 'Parents' })
  await expect(parents).toContainText(/Parents.*Anyone with the link.*Guest · For a group.*First used/)
  await expect(links).toHaveCount(2)
  await expectAccessible(page)

  await parents.getByRole('button', { name: 'Copy link: Parents' }).click()
  await expect(parents.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(forParents)
  // Where the page may not copy, it is there to be taken.
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
  })
  await parents.getByRole('button', { name: 'Copy link: Parents' }).click()
  await expect(parents.getByLabel('Guest link', { exact: true })).toHaveValue(forParents)

  const menu = parents.getByRole('button', { name: 'Actions for link: Parents' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Guests' }).click()
  const guests = page.getByRole('dialog', { name: 'Guests: Parents' })
  await expect(guests.getByRole('listitem')).toHaveText([/^Ada/])
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(guests).toBeHidden()
  await expect(menu).toBeFocused()
  await menu.click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  const question = page.getByRole('dialog', { name: 'Revoke this link?' })
  await expect(question).toContainText('people who joined with it will be disconnected')
  await question.getByRole('button', { name: 'Revoke' }).click()
  await expect(parents).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Host controls' })).toBeFocused()
  await expect(anonymous.inspectAccess({ accessToken: tokenOf(forParents) })).rejects.toThrow('revoked')

  await page.getByRole('button', { name: 'New guest link' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'For a group' }).click()
  await expect(page.getByRole('textbox', { name: 'Link for a group' })).toHaveValue(/accessToken=/)
  await page.keyboard.press('Escape')
  await expect(links.first()).toContainText(/Anyone with the link.*Guest · For a group/)
  expect(complaints()).toEqual([])
})

test('a host invites to speak, filters the chat, shows a screen and removes somebody', async ({ lectern, person }) => {
  const { operator, url } = lectern
  const room = { type: 'webinar', isFloorAllowed: true, isMicrophonePublishingAllowed: false } as const
  const { link, address, alias: _, ...at } = await makeRoom(lectern, room)
  const { page, complaints } = await person()
  await withDevicesOff(page)
  await signIn(page, lectern)
  await join(page, address)
  const ann = await enterAsGuest(lectern, { api: operator }, at, 'Ann')

  await test.step('microphones that are off are turned on for who is invited to speak', async () => {
    await ann.guest.setHand({ ...at, raised: true })
    const people = await openPeople(page)
    await people.getByRole('button', { name: 'Invite to speak' }).click()
    const question = page.getByRole('dialog', { name: 'Invite Ann to speak?' })
    await expect(question).toContainText('It will be turned on.')
    expect((await operator.getRoom(at)).isMicrophonePublishingAllowed).toBe(false)
    await question.getByRole('button', { name: 'Invite to speak' }).click()
    await expect(people.getByRole('listitem').filter({ hasText: 'Ann' })).toContainText('Live')
    expect((await operator.getRoom(at)).isMicrophonePublishingAllowed).toBe(true)
  })

  await test.step('the chat is shown whole again when the webinar has become a lesson', async () => {
    const chat = await openChat(page)
    await ann.guest.createMessage({ ...at, text: 'Is there homework?', isQuestion: true })
    await ann.guest.createMessage({ ...at, text: 'Hello all' })
    await expect(chat.getByRole('listitem')).toHaveCount(2)
    const filter = page.getByRole('radiogroup', { name: 'Show' })
    await filter.getByText('Questions', { exact: true }).click()
    await expect(chat.getByRole('listitem')).toHaveCount(1)
    await operator.updateRoom({ ...at, type: 'lesson' })
    await expect(page.getByLabel('To', { exact: true })).toHaveCount(0)
    await filter.getByText('All', { exact: true }).click()
    await expect(chat.getByRole('listitem')).toHaveCount(2)
    await expect(filter).toHaveCount(0)
  })

  await test.step('the host’s own screen is put before everyone, and not mirrored back', async () => {
    await control(page, 'Share').click()
    const screen = tile(page, 'operator’s screen')
    await screen.hover()
    await screen.getByRole('button', { name: 'Spotlight for everyone' }).click()
    const spotlight = async () => (await operator.getLiveCall(at)).spotlight
    await expect.poll(spotlight).toMatchObject({ source: 'screen' })
    await expect(screen.getByRole('button', { name: 'Remove spotlight' })).toHaveAttribute('aria-pressed', 'true')
    await expect(screen.locator('video')).toHaveCount(0)
    const widthOf = async (name: string) => (await tile(page, name).boundingBox())?.width ?? 0
    expect(await widthOf('operator’s screen')).toBeLessThan(2 * (await widthOf('Ann')))
    await screen.getByRole('button', { name: 'Remove spotlight' }).click()
    await expect.poll(spotlight).toBeNull()
    await control(page, 'Share').click()
    await expect(screen).toHaveCount(0)
  })

  await test.step('the waiting room is on before somebody is removed who could come back', async () => {
    const accessToken = tokenOf(await link(undefined, { isPermanent: true }))
    const { guestToken } = await operator.redeemAccess({ accessToken, participantName: 'Bob' })
    const bob = await enter(createClient({ baseUrl: url, token: guestToken }), at)
    const done: string[] = []
    await page.route('**/v1/spaces/*/rooms/**', async route => {
      const method = route.request().method()
      if (method === 'GET') return route.continue()
      done.push(`${method} sent`)
      if (method !== 'PATCH') return route.continue()
      const response = await route.fetch()
      // Time enough for whoever does not wait.
      await untilNoticed(page)
      done.push('PATCH answered')
      await route.fulfill({ response })
    })
    await openPeople(page)
    await act(page, 'Bob', 'Remove from room')
    const dialog = page.getByRole('dialog', { name: 'Remove Bob?' })
    await dialog.getByRole('switch', { name: 'Turn on the waiting room' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => bob.room.isConnected).toBe(false)
    expect(done).toEqual(['PATCH sent', 'PATCH answered', expect.stringMatching(/ sent$/)])
    expect((await operator.getRoom(at)).waitingRoomAudience).toBe('guests')
  })
  await ann.room.disconnect()
  expect(complaints()).toEqual([])
})
