import type { Page } from '@playwright/test'
import { PIXEL } from '../support/pixel.ts'
import { DESKTOP, expect, expectAccessible, PHONE } from './support/lectern.ts'
import {
  act,
  control,
  endForAll,
  expectHeard,
  expectIn,
  expectSeen,
  heading,
  join,
  makeRoom,
  openChat,
  openHostPanel,
  openPeople,
  signIn,
  test,
  tile,
  withDevicesOff,
  write,
} from './support/room.ts'

/*
 * A lesson from the first link to the attendance: a teacher with an account, Grace on a phone by a link for one, and Bob by
 * a link for the group. Eve stays outside.
 */

test.use({ actionTimeout: 20_000 })

const ask = async (page: Page, name?: string) => {
  if (name !== undefined) await page.getByLabel('Your name').fill(name)
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(heading(page, 'Waiting to be let in')).toBeVisible()
}

test('a lesson', { tag: '@long' }, async ({ lectern, person }) => {
  const { operator } = lectern
  const room = await makeRoom(lectern, { name: 'Algebra', waitingRoomAudience: 'guests' })
  const { link, address, spaceId, roomId } = room
  const at = { spaceId, roomId }
  const [teacher, grace, bob] = [await person(), await person({ viewport: PHONE }), await person()]
  const forOne = await link()
  const forGroup = await link(undefined, { isPermanent: true })
  const waiting = async () => (await operator.listWaiting(at)).items.length
  const logo = (page: Page) => page.locator('img[src*="/logos/"]')
  await operator.setSpaceLogo({ spaceId, file: new Blob([PIXEL], { type: 'image/png' }) })
  await signIn(teacher.page, lectern)
  await join(teacher.page, address)
  await expect(logo(teacher.page)).toBeVisible()

  await test.step('looking at the lobby spends nothing, and hides the token', async () => {
    await grace.page.goto(forOne)
    await expect(heading(grace.page, 'Algebra')).toBeVisible()
    expect(grace.page.url()).not.toContain(new URL(forOne).searchParams.get('accessToken'))
    await grace.page.reload()
    await expect(heading(grace.page, 'Algebra')).toBeVisible()
    await expect(logo(grace.page)).toBeVisible()
    await expectAccessible(grace.page)
    await grace.page.getByRole('button', { name: 'Join' }).click()
    await expect(grace.page.getByText('Enter your name')).toBeVisible()
    await expect(grace.page.getByLabel('Your name')).toBeFocused()
  })

  await test.step('she waits, also after a reload, and is let in', async () => {
    await ask(grace.page, 'Grace')
    await expect(grace.page.getByText('Algebra', { exact: true })).toBeVisible()
    await expect(logo(grace.page)).toBeVisible()
    await expectAccessible(grace.page)
    await expect(teacher.page.getByText('Grace wants to join')).toBeVisible()
    await grace.page.reload()
    await expect(heading(grace.page, 'Waiting to be let in')).toBeVisible()
    // In the same place, without asking anew.
    expect(await waiting()).toBe(1)
    await teacher.page.getByRole('button', { name: 'Admit', exact: true }).click()
    await expectIn(grace.page)
    await expectSeen(teacher.page, 'Grace')
    await expectHeard(teacher.page)
    await expectSeen(grace.page, 'operator')
    await expectHeard(grace.page)
    // Nothing reaches over the edge of a phone.
    await expect(control(grace.page, 'Leave')).toBeInViewport({ ratio: 1 })
    await expectAccessible(grace.page)
    await expectAccessible(teacher.page)
    for (const { page } of [teacher, grace]) await control(page, 'Camera').click()
    await expect(tile(grace.page, 'operator').locator('video')).toHaveCount(0)
    await expect(tile(teacher.page, 'Grace').locator('video')).toHaveCount(0)
  })

  const eve = await person()
  await withDevicesOff(eve.page)
  await test.step('of two who ask one is let in, muted and without camera as he chose, and one is not', async () => {
    await bob.page.goto(forOne)
    await expect(heading(bob.page, 'This link has already been used')).toBeVisible()
    await expectAccessible(bob.page)
    await bob.page.goto(forGroup)
    for (const name of ['Microphone', 'Camera']) await bob.page.getByRole('button', { name, exact: true }).click()
    await ask(bob.page, 'Bob')
    await eve.page.goto(await link('Eve'))
    await ask(eve.page)
    await teacher.page.getByRole('button', { name: 'View' }).click()
    const panel = teacher.page.getByRole('complementary', { name: 'Host controls' })
    await panel.getByRole('button', { name: 'Deny Eve' }).click()
    await expect(heading(eve.page, 'A moderator didn’t let you in')).toBeVisible()
    await panel.getByRole('button', { name: 'Admit Bob' }).click()
    await expectIn(bob.page)
    for (const name of ['Mic', 'Camera']) await expect(control(bob.page, name)).toHaveAttribute('aria-pressed', 'false')
    await panel.getByLabel('Waiting room').selectOption('Off')
    await expectAccessible(teacher.page)
  })

  await test.step('Escape closes only the topmost thing', async () => {
    const panel = await openPeople(teacher.page)
    await panel.getByRole('button', { name: 'Actions for Grace' }).click()
    await expect(teacher.page.getByRole('menuitem', { name: 'Remove from room' })).toBeVisible()
    await teacher.page.keyboard.press('Escape')
    await expect(teacher.page.getByRole('menu')).toBeHidden()
    await act(teacher.page, 'Grace', 'Remove from room')
    const dialog = teacher.page.getByRole('dialog', { name: 'Remove Grace?' })
    await expect(dialog.getByText(/can’t rejoin until a moderator lifts the ban/)).toBeVisible()
    await teacher.page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(panel).toBeVisible()
    await teacher.page.keyboard.press('Escape')
    await expect(panel).toBeHidden()
  })

  await test.step('a microphone is muted, all are, and then for good', async () => {
    const microphone = control(grace.page, 'Mic')
    await openPeople(teacher.page)
    await expectAccessible(teacher.page)
    await act(teacher.page, 'Grace', 'Mute microphone')
    await expect(microphone).toHaveAttribute('aria-pressed', 'false')
    await expect(grace.page.getByText('A moderator muted you. You can unmute yourself.')).toBeVisible()
    await microphone.click()
    await expect(microphone).toHaveAttribute('aria-pressed', 'true')
    await teacher.page.getByRole('button', { name: 'Mute everyone' }).click()
    await expect(microphone).toHaveAttribute('aria-pressed', 'false')
    await expect(control(teacher.page, 'Mic')).toHaveAttribute('aria-pressed', 'true')

    const panel = await openHostPanel(teacher.page)
    await panel.getByLabel('Use microphone').click()
    await expect(microphone).toHaveAttribute('aria-disabled', 'true')
    await expect(grace.page.getByText('A moderator turned off participants’ microphones.').first()).toBeVisible()
    await panel.getByLabel('Use microphone').click()
    await expect(microphone).not.toHaveAttribute('aria-disabled', 'true')
    // Allowed again, and off until they say so.
    await expect(microphone).toHaveAttribute('aria-pressed', 'false')
    await teacher.page.keyboard.press('Escape')
  })

  await test.step('two screens stand side by side, and the host chooses', async () => {
    await teacher.page.keyboard.press('s')
    await expect(control(teacher.page, 'Share')).toHaveAttribute('aria-pressed', 'true')
    await expect(teacher.page.getByText('You’re presenting', { exact: true })).toBeVisible()
    await expect(tile(teacher.page, 'operator’s screen').locator('video')).toHaveCount(0)
    await expectSeen(grace.page, 'operator’s screen')
    await control(bob.page, 'Share').click()
    await expectSeen(teacher.page, 'Bob’s screen')
    // Whoever shows one sees it small.
    await grace.page.setViewportSize(DESKTOP)
    const boxOf = (page: Page, name: string) => tile(page, `${name}’s screen`).boundingBox()
    await expect
      .poll(async () => {
        const [ofTeacher, ofBob] = [await boxOf(grace.page, 'operator'), await boxOf(grace.page, 'Bob')]
        return ofTeacher && ofBob && ofTeacher.y === ofBob.y && Math.abs(ofTeacher.width - ofBob.width) < 2
      })
      .toBe(true)
    await tile(teacher.page, 'Bob’s screen').hover()
    await tile(teacher.page, 'Bob’s screen').getByRole('button', { name: 'Spotlight for everyone' }).click()
    await expect
      .poll(async () => {
        const [ofTeacher, ofBob] = [await boxOf(grace.page, 'operator'), await boxOf(grace.page, 'Bob')]
        return (ofBob?.width ?? 0) > 2 * (ofTeacher?.width ?? 0)
      })
      .toBe(true)
    await grace.page.setViewportSize(PHONE)
    await teacher.page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(tile(bob.page, 'operator’s screen')).toHaveCount(0)
    await control(bob.page, 'Share').click()
    await expect(tile(grace.page, 'Bob’s screen')).toHaveCount(0)
  })

  await test.step('a name, and a reaction', async () => {
    await openPeople(bob.page)
    await bob.page.getByRole('button', { name: 'Change your name' }).click()
    await bob.page.getByRole('dialog').getByLabel('Your name').fill('Bob Dole')
    await bob.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect(tile(grace.page, 'Bob Dole')).toBeVisible()
    await control(bob.page, 'React').click()
    await bob.page.getByRole('menuitem', { name: 'Clap' }).click()
    await expect(tile(grace.page, 'Bob Dole').getByRole('img', { name: 'Bob Dole: Clap' })).toBeVisible()
  })

  await test.step('the chat goes both ways, and a message can be taken back', async () => {
    const chatOfTeacher = await openChat(teacher.page)
    await write(teacher.page, 'Good evening! See https://example.com/notes.')
    await expect(grace.page.getByRole('button', { name: /1 new message/ })).toBeVisible()
    const chatOfGrace = await openChat(grace.page)
    await expect(chatOfGrace.getByRole('link', { name: 'https://example.com/notes' })).toBeVisible()
    await write(grace.page, 'Good evening, Ada.')
    await expect(chatOfTeacher.getByText('Good evening, Ada.')).toBeVisible()
    await expectAccessible(grace.page)
    const chatOfBob = await openChat(bob.page)
    await expect(chatOfBob.getByRole('listitem')).toHaveCount(2)
    await expect(bob.page.getByRole('button', { name: /^Delete message/ })).toHaveCount(0)
    await teacher.page.getByRole('button', { name: 'Delete message from Grace' }).click()
    for (const chat of [chatOfTeacher, chatOfGrace, chatOfBob])
      await expect(chat.getByText('Good evening, Ada.')).toHaveCount(0)
  })

  await test.step('what is typed while a message is on its way is the next one', async () => {
    let send = () => {}
    const held = new Promise<void>(done => {
      send = done
    })
    await grace.page.route('**/messages', async route => {
      await held
      await route.continue()
    })
    await write(grace.page, 'One.')
    await write(grace.page, 'Two.')
    send()
    await expect(teacher.page.getByRole('listitem').filter({ hasText: /One\.$|Two\.$/ })).toHaveText([/One/, /Two/])
    await expect(grace.page.getByLabel('Send a message')).toHaveValue('')
    await grace.page.unroute('**/messages')
  })

  await test.step('what is typed is no shortcut, and the keys of another alphabet are', async () => {
    const { page } = teacher
    await page.getByLabel('Send a message').pressSequentially('mvm')
    await expect(control(page, 'Mic')).toHaveAttribute('aria-pressed', 'true')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('log')).toHaveCount(0)
    await expect(control(page, 'Chat')).toBeFocused()
    await page.evaluate(() =>
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'ь', code: 'KeyM', bubbles: true })),
    )
    await expect(control(page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
  })

  await test.step('the chat is switched off while it is open, and the room locked', async () => {
    const panel = await openHostPanel(teacher.page)
    await panel.getByRole('switch', { name: 'Chat' }).click()
    await expect(grace.page.getByRole('log')).toHaveCount(0)
    await expect(control(grace.page, 'Chat')).toHaveCount(0)
    await expect(grace.page.getByText('A moderator turned off chat.')).toBeVisible()
    await expect(heading(grace.page, 'Algebra')).toBeFocused()
    await panel.getByRole('switch', { name: 'Lock the room' }).click()
    await expect.poll(async () => (await operator.getRoom(at)).isLocked).toBe(true)
    await eve.page.goto(await link('Mallory'))
    await eve.page.getByRole('button', { name: 'Join' }).click()
    await expect(heading(eve.page, 'The room is locked')).toBeVisible()
    await eve.page.context().close()
  })

  await test.step('whoever has been in comes back: by a reload, with the name kept, and after leaving', async () => {
    await grace.page.reload()
    await expect(grace.page.getByLabel('Your name')).toHaveValue('Grace')
    await grace.page.getByRole('button', { name: 'Join' }).click()
    await expectIn(grace.page)
    await expect(tile(teacher.page, 'Grace')).toHaveCount(1)
    await control(grace.page, 'Leave').click()
    await expect(heading(grace.page, 'You left the call')).toBeVisible()
    await expect(grace.page.getByText(/You were in the call for \d+ seconds?\./)).toBeVisible()
    await expectAccessible(grace.page)
    await expect(tile(teacher.page, 'Grace')).toHaveCount(0)
    // A new tab knows who she is, with the link and without it.
    const again = await grace.page.context().newPage()
    for (const url of [forOne, grace.page.url()]) {
      await again.goto(url)
      await expect(again.getByLabel('Your name')).toHaveValue('Grace')
    }
    await again.close()
    await grace.page.getByRole('button', { name: 'Rejoin' }).click()
    await grace.page.getByRole('button', { name: 'Join' }).click()
    await expect(tile(teacher.page, 'Grace')).toBeVisible()
  })

  await test.step('a guest link is made', async () => {
    await control(teacher.page, 'More').click()
    await teacher.page.getByRole('menuitem', { name: 'Guest link' }).click()
    await teacher.page.getByRole('button', { name: 'For one person' }).click()
    await expect(teacher.page.getByRole('textbox', { name: 'Link' })).toHaveValue(/\/room\/.+accessToken=/)
    await teacher.page.keyboard.press('Escape')
    await expect(control(teacher.page, 'More')).toBeFocused()
    await teacher.page.keyboard.press('Escape')
  })

  await test.step('who came by the link for the group is removed, and what keeps them out offered, on a phone too', async () => {
    const { page } = teacher
    await page.setViewportSize(PHONE)
    await control(page, 'More').click()
    await page.getByRole('menuitem', { name: 'Host controls' }).click()
    await act(page, 'Bob Dole', 'Remove from room')
    const dialog = page.getByRole('dialog', { name: 'Remove Bob Dole?' })
    await expect(dialog.getByText('they could return under another name')).toBeVisible()
    await dialog.getByRole('switch', { name: 'Turn on the waiting room' }).click()
    await dialog.getByRole('switch', { name: 'End this link' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect(heading(bob.page, 'You were removed from the call')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Actions for Bob Dole' })).toHaveCount(0)
    await expect(page.locator('h1:focus, h2:focus')).toBeVisible()
    await expectAccessible(bob.page)
    await expect
      .poll(async () => {
        const { items } = await operator.listLinks(at)
        return [
          (await operator.getRoom(at)).waitingRoomAudience,
          items.find(({ isPermanent }) => isPermanent)?.isActive,
        ]
      })
      .toEqual(['guests', false])
    await page.setViewportSize(DESKTOP)
  })

  await test.step('the call is ended for all, and the teacher goes on to the attendance', async () => {
    await endForAll(teacher.page)
    for (const { page } of [teacher, grace]) {
      await expect(heading(page, 'The call has ended')).toBeVisible()
      await expect(page.getByText(/The call lasted \d+/)).toBeVisible()
    }
    await expect(teacher.page.getByText('You ended the call for everyone.')).toBeVisible()
    await expect(
      grace.page.getByText('A moderator ended the call for everyone. You can close this page.'),
    ).toBeVisible()
    await expect(grace.page.getByRole('link', { name: 'Attendance and chat' })).toHaveCount(0)
    await expectAccessible(teacher.page)
    await teacher.page.getByRole('link', { name: 'Attendance and chat' }).click()
    await expect(heading(teacher.page, 'Attendance')).toBeVisible()
    for (const name of ['operator', 'Grace', 'Bob Dole'])
      await expect(teacher.page.getByRole('cell', { name }).first()).toBeVisible()
  })
  for (const { complaints } of [teacher, grace, bob, eve]) expect(complaints()).toEqual([])
})
