import { expect } from './support/lectern.ts'
import { control, expectHeard, expectSeen, join, makeRoom, openPeople, signIn, test, tile } from './support/room.ts'

test('a raised hand of a webinar is invited to speak, answered, and the floor given back', async ({
  lectern,
  person,
}) => {
  const { address, link } = await makeRoom(lectern, { type: 'webinar' })
  const host = await person()
  await signIn(host.page, lectern)
  await join(host.page, address)
  const viewer = await person()
  await join(viewer.page, await link('Ann'))
  await join((await person()).page, await link('Aaron'))

  await control(viewer.page, 'Hand').click()
  const people = await openPeople(host.page)
  // First of all, whoever they are.
  await expect(people.getByRole('listitem').first()).toContainText('Ann')
  await people.getByRole('button', { name: 'Invite to speak' }).click()
  // The room does not let viewers speak yet.
  const question = host.page.getByRole('dialog', { name: 'Invite Ann to speak?' })
  await question.getByRole('button', { name: 'Invite to speak' }).click()

  const invitation = viewer.page.getByRole('dialog', { name: 'You’re invited to speak' })
  await expect(control(viewer.page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
  await invitation.getByRole('button', { name: 'Join with microphone', exact: true }).click()
  await expectHeard(host.page)
  await control(viewer.page, 'More').click()
  await viewer.page.getByRole('menuitem', { name: 'Stop speaking' }).click()
  await expect(control(viewer.page, 'Mic')).toHaveCount(0)
  await expect(tile(host.page, 'Ann')).toHaveCount(0)

  await control(viewer.page, 'Hand').click()
  await people.getByRole('button', { name: 'Invite to speak' }).click()
  await invitation.getByRole('button', { name: 'Not now' }).click()
  await expect(people.getByText('Live')).toHaveCount(0)
  expect([...host.complaints(), ...viewer.complaints()]).toEqual([])
})

test('a host mutes for good, puts someone before all, and two screens stand side by side', async ({
  lectern,
  person,
}) => {
  const { address, link } = await makeRoom(lectern)
  const [host, pupil, other] = [await person(), await person(), await person()]
  await signIn(host.page, lectern)
  await join(host.page, address)
  await join(pupil.page, await link('Ann'))
  await join(other.page, await link('Bob'))
  await expectSeen(other.page, 'Ann')

  await test.step('hard mute', async () => {
    await control(host.page, 'Host').click()
    await host.page.getByLabel('Use microphone').click()
    await expect(control(pupil.page, 'Mic')).toHaveAttribute('aria-disabled', 'true')
    await expect(pupil.page.getByText('A moderator turned off participants’ microphones.').first()).toBeVisible()
    await host.page.getByLabel('Use microphone').click()
    // Allowed again, and off until they say so.
    await expect(control(pupil.page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
  })

  await test.step('two screens, and the host chooses', async () => {
    await control(host.page, 'Share').click()
    await expect(host.page.getByText('You’re presenting', { exact: true })).toBeVisible()
    await expect(host.page.getByRole('figure', { name: 'operator’s screen' }).locator('video')).toHaveCount(0)
    await control(pupil.page, 'Share').click()
    await expectSeen(other.page, 'operator’s screen')
    const box = (name: string) => tile(other.page, name).boundingBox()
    await expect
      .poll(async () => {
        const [ofHost, ofPupil] = [await box('operator’s screen'), await box('Ann’s screen')]
        return ofHost && ofPupil && ofHost.y === ofPupil.y && Math.abs(ofHost.width - ofPupil.width) < 2
      })
      .toBe(true)
    await tile(host.page, 'Ann’s screen').hover()
    await tile(host.page, 'Ann’s screen').getByRole('button', { name: 'Spotlight for everyone' }).click()
    await expect
      .poll(async () => ((await box('Ann’s screen'))?.width ?? 0) > 2 * ((await box('operator’s screen'))?.width ?? 0))
      .toBe(true)
    await host.page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(tile(other.page, 'operator’s screen')).toHaveCount(0)
  })

  await test.step('a name, and a reaction', async () => {
    await openPeople(other.page)
    await other.page.getByRole('button', { name: 'Change your name' }).click()
    await other.page.getByRole('dialog').getByLabel('Your name').fill('Bob Dole')
    await other.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect(tile(pupil.page, 'Bob Dole')).toBeVisible()
    await control(other.page, 'React').click()
    await other.page.getByRole('menuitem', { name: 'Clap' }).click()
    await expect(tile(pupil.page, 'Bob Dole').getByRole('img', { name: 'Bob Dole: Clap' })).toBeVisible()
  })
  expect([...host.complaints(), ...pupil.complaints(), ...other.complaints()]).toEqual([])
})
