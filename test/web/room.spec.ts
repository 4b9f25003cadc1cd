import { expect, expectAccessible, PHONE } from './support/lectern.ts'
import { control, expectHeard, expectSeen, join, makeRoom, test, tile } from './support/room.ts'

test('a guest opens a one-time link, and is seen and heard by the teacher', async ({ lectern, person }) => {
  const { link } = await makeRoom(lectern, { name: 'Algebra, and everything else that the year has in store for us' })
  const teacher = await person()
  const guest = await person({ viewport: PHONE })
  const guestLink = await link()
  const token = new URL(guestLink).searchParams.get('accessToken') ?? ''

  await test.step('looking at the lobby spends nothing, and hides the token', async () => {
    await guest.page.goto(guestLink)
    await expect(guest.page.getByRole('heading', { name: /^Algebra/ })).toBeVisible()
    expect(guest.page.url()).not.toContain(token)
    await guest.page.reload()
    await expect(guest.page.getByRole('heading', { name: /^Algebra/ })).toBeVisible()
    await expectAccessible(guest.page)
  })
  await test.step('a name is asked for', async () => {
    await guest.page.getByRole('button', { name: 'Join' }).click()
    await expect(guest.page.getByText('Enter your name')).toBeVisible()
    await expect(guest.page.getByLabel('Your name')).toBeFocused()
  })

  await join(teacher.page, await link('Ada', { role: 'moderator' }))
  await guest.page.getByLabel('Your name').fill('Grace')
  await guest.page.getByRole('button', { name: 'Join' }).click()

  await expectSeen(teacher.page, 'Grace')
  await expectHeard(teacher.page)
  await expectSeen(guest.page, 'Ada')
  await expectHeard(guest.page)
  // Nothing reaches over the edge of a phone.
  await expect(control(guest.page, 'Leave')).toBeInViewport({ ratio: 1 })
  await expectAccessible(guest.page)
  await expectAccessible(teacher.page)

  await test.step('a reload gets back in, with the name kept', async () => {
    await guest.page.reload()
    await expect(guest.page.getByLabel('Your name')).toHaveValue('Grace')
    await guest.page.getByRole('button', { name: 'Join' }).click()
    await expectSeen(teacher.page, 'Grace')
    await expect(tile(teacher.page, 'Grace')).toHaveCount(1)
  })
  await test.step('so does a new tab, with the link and without it', async () => {
    const again = await guest.page.context().newPage()
    await again.goto(guestLink)
    await expect(again.getByLabel('Your name')).toHaveValue('Grace')
    await again.goto(guest.page.url())
    await expect(again.getByLabel('Your name')).toHaveValue('Grace')
    await again.close()
  })
  await test.step('somebody else with the same link is told that it is used', async () => {
    const other = await person()
    await other.page.goto(guestLink)
    await expect(other.page.getByRole('heading', { name: 'This link has already been used' })).toBeVisible()
    await expectAccessible(other.page)
    await other.page.context().close()
  })
  await test.step('leaving says how long it was, and lets come back', async () => {
    await control(guest.page, 'Leave').click()
    await expect(guest.page.getByRole('heading', { name: 'You left the call' })).toBeVisible()
    await expect(guest.page.getByText(/You were in the call for \d+ seconds?\./)).toBeVisible()
    await expectAccessible(guest.page)
    await expect(tile(teacher.page, 'Grace')).toHaveCount(0)
    await guest.page.getByRole('button', { name: 'Rejoin' }).click()
    await guest.page.getByRole('button', { name: 'Join' }).click()
    await expect(tile(teacher.page, 'Grace')).toBeVisible()
  })

  expect([...teacher.complaints(), ...guest.complaints()]).toEqual([])
})

test('another camera is chosen in the lobby, and another one in the call', async ({ lectern, person }) => {
  const { link } = await makeRoom(lectern)
  const { page, complaints } = await person()
  await page.goto(await link('Grace'))
  const device = () =>
    // The dialog shows it too.
    page
      .locator('video')
      .last()
      .evaluate((video: HTMLVideoElement) => {
        const [track] = video.srcObject instanceof MediaStream ? video.srcObject.getVideoTracks() : []
        return track?.label
      })
  const camera = page.getByRole('combobox', { name: 'Camera' })
  await expect(camera.getByRole('option')).toHaveCount(2)
  await camera.selectOption('fake_device_1')
  await expect.poll(device).toBe('fake_device_1')
  await expect.poll(() => page.getByRole('meter').evaluate((meter: HTMLMeterElement) => meter.value)).toBeGreaterThan(0)

  await page.getByRole('button', { name: 'Join' }).click()
  await expectSeen(page, 'Grace (you)')
  expect(await device()).toBe('fake_device_1')
  await control(page, 'More').click()
  await page.getByRole('menuitem', { name: 'Devices' }).click()
  const dialog = page.getByRole('dialog', { name: 'Devices' })
  await expect(dialog.getByLabel('Camera').locator('option:checked')).toHaveText('fake_device_1')
  await dialog.getByLabel('Camera').selectOption('fake_device_0')
  await expect.poll(device).toBe('fake_device_0')
  await expectAccessible(page)
  expect(complaints()).toEqual([])
})
