import type { Page } from '@playwright/test'
import { makeLarge } from './support/crowd.ts'
import { expect, expectAccessible, killEngine, PHONE } from './support/lectern.ts'
import {
  control,
  copyOfTab,
  expectIn,
  expectSeen,
  join,
  makeRoom,
  openPeople,
  signIn,
  test,
  tile,
} from './support/room.ts'

const act = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
const openChat = async (page: Page) => {
  await page.getByRole('navigation', { name: 'Controls' }).getByRole('button', { name: 'Chat' }).click()
  return page.getByRole('log', { name: 'Chat' })
}
const write = async (page: Page, text: string) => {
  await page.getByLabel('Send a message').fill(text)
  await page.keyboard.press('Enter')
}

test('in a webinar a viewer watches, goes on the air with the floor, and off it without', async ({
  lectern,
  person,
}) => {
  const { link, spaceId, roomId } = await makeRoom(lectern, { type: 'webinar', isFloorAllowed: true })
  const host = await person()
  const viewer = await person()
  await viewer.page.goto(await link('Grace'))
  await expect(viewer.page.getByText('You’ll join as a viewer')).toBeVisible()
  await expect(viewer.page.locator('video')).toHaveCount(0)
  await viewer.page.getByRole('button', { name: 'Join' }).click()
  await expect(viewer.page.getByText('Waiting for a moderator')).toBeVisible()
  await expect(control(viewer.page, 'Hand')).toBeVisible()
  for (const name of ['Mic', 'Camera', 'Share']) await expect(control(viewer.page, name)).toHaveCount(0)

  await join(host.page, await link('Ada', { role: 'moderator' }))
  await expectSeen(viewer.page, 'Ada')
  await expect(tile(viewer.page, 'Grace (you)')).toHaveCount(0)
  await control(viewer.page, 'Hand').click()
  await expect(control(viewer.page, 'Hand')).toHaveAttribute('aria-pressed', 'true')

  const people = await openPeople(host.page)
  await expect(people.getByRole('listitem').filter({ hasText: 'Grace' }).getByLabel('Hand raised')).toBeVisible()

  // With so many inside that a viewer is not told of each, and a moderator looks for them by name.
  await makeLarge(lectern, roomId, 'Viewer')
  await control(viewer.page, 'Hand').click()
  await expect(host.page.getByRole('heading', { name: 'People (103)' })).toBeVisible()
  await expect(people.getByRole('listitem').filter({ hasText: /Ada|Grace/ })).toHaveCount(2)
  await people.getByRole('searchbox', { name: 'Search by name' }).fill('GRA')
  await expect(people.getByRole('listitem')).toHaveText([/Grace/])
  await expectAccessible(host.page)
  const listed = await openPeople(viewer.page)
  await expect(listed.getByText('only moderators, speakers and raised hands are listed')).toBeVisible()
  await expect(listed.getByRole('listitem')).toHaveText([/Ada/, /Grace/])

  await act(host.page, 'Grace', 'Invite to speak')
  await expect(control(viewer.page, 'Camera')).toHaveAttribute('aria-pressed', 'false')
  await viewer.page.getByRole('button', { name: 'Join with microphone and camera' }).click()
  await expectSeen(host.page, 'Grace')

  await act(host.page, 'Grace', 'Move to viewers')
  await expect(viewer.page.getByText('You’re a viewer again.')).toBeVisible()
  await expect(control(viewer.page, 'Camera')).toHaveCount(0)
  await expect(tile(host.page, 'Grace')).toHaveCount(0)

  // As a lesson everyone may be seen and heard.
  await lectern.operator.updateRoom({ spaceId, roomId, type: 'lesson' })
  await expect(viewer.page.getByText('You can now turn on your microphone and camera.')).toBeVisible()
  await lectern.operator.updateRoom({ spaceId, roomId, type: 'webinar' })
  await expect(viewer.page.getByText('You’re a viewer again.')).toBeVisible()
  expect([...host.complaints(), ...viewer.complaints()]).toEqual([])
})

test('a screen is shown large, and the chat goes both ways and can be read later', async ({ lectern, person }) => {
  const { link, address } = await makeRoom(lectern)
  const teacher = await person()
  const pupil = await person({ viewport: PHONE })
  await signIn(teacher.page, lectern)
  await join(teacher.page, address)
  await join(pupil.page, await link('Grace'))

  await test.step('screen', async () => {
    await teacher.page.keyboard.press('s')
    await expect(control(teacher.page, 'Share')).toHaveAttribute('aria-pressed', 'true')
    await expectSeen(pupil.page, 'operator’s screen')
    await teacher.page.keyboard.press('s')
    await expect(tile(pupil.page, 'operator’s screen')).toHaveCount(0)
  })

  await test.step('chat', async () => {
    const teachersChat = await openChat(teacher.page)
    await write(teacher.page, 'Good evening! See https://example.com/notes.')
    const unread = pupil.page.getByRole('button', { name: /1 new message/ })
    await expect(unread).toBeVisible()
    const pupilsChat = await openChat(pupil.page)
    await expect(pupilsChat.getByRole('link', { name: 'https://example.com/notes' })).toBeVisible()
    await write(pupil.page, 'Good evening, Ada.')
    await expect(teachersChat.getByText('Good evening, Ada.')).toBeVisible()
    await expectAccessible(pupil.page)

    const late = await person()
    await join(late.page, await link('Late'))
    const latesChat = await openChat(late.page)
    await expect(latesChat.getByRole('listitem')).toHaveCount(2)
    await expect(late.page.getByRole('button', { name: /^Delete message/ })).toHaveCount(0)
    await teacher.page.getByRole('button', { name: 'Delete message from Grace' }).click()
    for (const chat of [teachersChat, pupilsChat, latesChat])
      await expect(chat.getByText('Good evening, Ada.')).toHaveCount(0)
    await late.page.context().close()
  })

  await test.step('what is typed while a message is on its way is the next one', async () => {
    await pupil.page.route('**/messages', async route => {
      await new Promise(done => setTimeout(done, 500))
      await route.continue()
    })
    await write(pupil.page, 'One.')
    await write(pupil.page, 'Two.')
    await expect(teacher.page.getByRole('listitem').filter({ hasText: /One\.$|Two\.$/ })).toHaveText([/One/, /Two/])
    await expect(pupil.page.getByLabel('Send a message')).toHaveValue('')
    await pupil.page.unroute('**/messages')
  })

  await test.step('what is typed is no shortcut, and the keys of another alphabet are', async () => {
    await teacher.page.getByLabel('Send a message').pressSequentially('mvm')
    await expect(control(teacher.page, 'Mic')).toHaveAttribute('aria-pressed', 'true')
    await teacher.page.keyboard.press('Escape')
    await expect(teacher.page.getByRole('log')).toHaveCount(0)
    await expect(control(teacher.page, 'Chat')).toBeFocused()
    await teacher.page.evaluate(() =>
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'ь', code: 'KeyM', bubbles: true })),
    )
    await expect(control(teacher.page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
    await teacher.page.keyboard.press('?')
    await expect(teacher.page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    await expectAccessible(teacher.page)
    await teacher.page.keyboard.press('Escape')
  })

  await test.step('the chat can be switched off while it is open', async () => {
    const { operator } = lectern
    const room = await operator.getRoomByAlias({ alias: new URL(address).pathname.split('/')[2] ?? '' })
    await operator.updateRoom({ spaceId: room.spaceId, roomId: room.roomId, isChatAllowed: false })
    await expect(pupil.page.getByRole('log')).toHaveCount(0)
    await expect(control(pupil.page, 'Chat')).toHaveCount(0)
    await expect(pupil.page.getByText('A moderator turned off chat.')).toBeVisible()
    await expect(pupil.page.getByRole('heading', { name: 'Algebra' })).toBeFocused()
  })

  await test.step('the organiser makes a guest link', async () => {
    await control(teacher.page, 'More').click()
    await teacher.page.getByRole('menuitem', { name: 'Guest link' }).click()
    await teacher.page.getByRole('button', { name: 'For one person' }).click()
    await expect(teacher.page.getByRole('textbox', { name: 'Link' })).toHaveValue(/\/room\/.+accessToken=/)
    await teacher.page.keyboard.press('Escape')
    await expect(control(teacher.page, 'More')).toBeFocused()
  })
  expect([...teacher.complaints(), ...pupil.complaints()]).toEqual([])
})

test('a moderator mutes, removes and ends the call for all', async ({ lectern, person }) => {
  const { link, address } = await makeRoom(lectern)
  const teacher = await person()
  const pupil = await person()
  const other = await person()
  await signIn(teacher.page, lectern)
  await join(teacher.page, address)
  await join(pupil.page, await link('Grace'))
  await other.page.goto(await link('Alan'))
  // Muted and without camera from the start.
  for (const name of ['Microphone', 'Camera']) await other.page.getByRole('button', { name, exact: true }).click()
  await other.page.getByRole('button', { name: 'Join' }).click()
  await expect(control(other.page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
  await expect(control(other.page, 'Camera')).toHaveAttribute('aria-pressed', 'false')
  await expect(control(pupil.page, 'Mic')).toHaveAttribute('aria-pressed', 'true')

  await openPeople(teacher.page)
  await expectAccessible(teacher.page)
  await act(teacher.page, 'Grace', 'Mute microphone')
  await expect(control(pupil.page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
  await expect(pupil.page.getByText('A moderator muted you. You can unmute yourself.')).toBeVisible()
  await control(pupil.page, 'Mic').click()
  await expect(control(pupil.page, 'Mic')).toHaveAttribute('aria-pressed', 'true')
  await teacher.page.getByRole('button', { name: 'Mute everyone' }).click()
  await expect(control(pupil.page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
  await expect(control(teacher.page, 'Mic')).toHaveAttribute('aria-pressed', 'true')

  await act(teacher.page, 'Grace', 'Remove from room')
  const dialog = teacher.page.getByRole('dialog', { name: 'Remove Grace?' })
  await expect(dialog.getByText(/can’t rejoin until a moderator lifts the ban/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(pupil.page.getByRole('heading', { name: 'You were removed from the call' })).toBeVisible()
  await expect(teacher.page.getByRole('button', { name: 'Actions for Grace' })).toHaveCount(0)
  await expect(teacher.page.locator('h1:focus, h2:focus')).toBeVisible()
  await expectAccessible(pupil.page)
  await pupil.page.reload()
  await expect(pupil.page.getByRole('heading', { name: 'You were removed from this room' })).toBeVisible()

  await control(teacher.page, 'Leave').click()
  await teacher.page.getByRole('menuitem', { name: 'End for all' }).click()
  await teacher.page.getByRole('dialog').getByRole('button', { name: 'End for all' }).click()
  for (const { page } of [teacher, other]) {
    await expect(page.getByRole('heading', { name: 'The call has ended' })).toBeVisible()
    await expect(page.getByText(/The call lasted \d+/)).toBeVisible()
  }
  await expect(teacher.page.getByText('You ended the call for everyone.')).toBeVisible()
  await expect(other.page.getByText('A moderator ended the call for everyone.')).toBeVisible()
  await other.page.getByRole('button', { name: 'Return to room' }).click()
  await expect(other.page.getByText('A moderator ended the call. You can rejoin in a minute')).toBeVisible()
  await other.page.getByRole('button', { name: 'Join' }).click()
  await expect(other.page.getByText('You’ll join automatically')).toBeVisible()
  await expectAccessible(other.page)

  await teacher.page.getByRole('button', { name: 'Return to room' }).click()
  await teacher.page.getByRole('button', { name: 'Join' }).click()
  await expectIn(teacher.page)
  await expectIn(other.page)
  expect([...teacher.complaints(), ...other.complaints()]).toEqual([])
})

test('the same tab twice, a copied tab, a deleted room', async ({ lectern, person }) => {
  const { link, spaceId, roomId } = await makeRoom(lectern)
  const guestLink = await link('Grace')
  const elsewhere = 'You joined from another tab or device'
  const first = await person()
  await join(first.page, guestLink)

  await test.step('a copied tab takes over, and gives back', async () => {
    const copy = await copyOfTab(first.page, { hasLocks: true })
    await copy.goto(guestLink)
    await copy.getByRole('button', { name: 'Join' }).click()
    await expect(copy.getByRole('alert')).toHaveText(/already in this call/)
    await expect(copy.getByRole('button', { name: 'Join here too' })).toHaveCount(0)
    await copy.getByRole('button', { name: 'Switch here' }).click()
    await expectIn(copy)
    await expect(first.page.getByRole('heading', { name: elsewhere })).toBeVisible()
    await first.page.getByRole('button', { name: 'Switch here' }).click()
    await expectIn(first.page)
    await expect(copy.getByRole('heading', { name: elsewhere })).toBeVisible()
    await copy.close()
  })
  await test.step('where tabs cannot be told apart, the later one goes on', async () => {
    const twin = await copyOfTab(first.page, { hasLocks: false })
    await join(twin, guestLink)
    await expect(first.page.getByRole('heading', { name: elsewhere })).toBeVisible()
    await twin.close()
    await first.page.getByRole('button', { name: 'Switch here' }).click()
    await expectIn(first.page)
  })
  await test.step('a deleted room', async () => {
    await lectern.operator.deleteRoom({ spaceId, roomId })
    await expect(first.page.getByRole('heading', { name: 'The room was deleted' })).toBeVisible()
    await first.page.reload()
    await expect(first.page.getByRole('heading', { name: 'Room not found' })).toBeVisible()
  })
  expect(first.complaints()).toEqual([])
})

test('after a restart of the engine everyone is back in by themselves', async ({ lectern, person }) => {
  const { link } = await makeRoom(lectern)
  const teacher = await person()
  const pupil = await person()
  await join(teacher.page, await link('Ada', { role: 'moderator' }))
  await join(pupil.page, await link('Grace'))
  await expectSeen(teacher.page, 'Grace')
  await pupil.page.evaluate(() => {
    const says = (text: string) => document.body.textContent.includes(text)
    new MutationObserver(() => {
      if (says('Connection lost') && says('the only one here')) document.body.dataset.claimedAlone = 'true'
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
  killEngine(lectern)
  await expect(pupil.page.getByText(/^Connection lost/)).toBeVisible()
  await expect(pupil.page.getByText(/^Connection lost/)).toBeHidden({ timeout: 45_000 })
  await expect(tile(teacher.page, 'Grace').locator('video')).toBeVisible({ timeout: 45_000 })
  // Who the others are was not known meanwhile.
  await expect(pupil.page.locator('body')).not.toHaveAttribute('data-claimed-alone')
  await expectSeen(teacher.page, 'Grace')
})
