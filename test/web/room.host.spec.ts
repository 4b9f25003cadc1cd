import { expect, expectAccessible, PHONE } from './support/lectern.ts'
import { control, expectIn, join, makeRoom, signIn, test } from './support/room.ts'

/* Who comes in is up to the host: from the waiting room, past a lock, and not again after having been removed. */

test('a host lets people in, turns them away, and locks the room', async ({ lectern, person, page }) => {
  const { link, address, spaceId, roomId } = await makeRoom(lectern, { waitingRoomAudience: 'guests' })
  await signIn(page, lectern)
  await join(page, address)
  const [grace, eve, ada] = [await person(), await person(), await person()]
  const ask = async (who: typeof grace, address: string) => {
    await who.page.goto(address)
    await who.page.getByRole('button', { name: 'Join' }).click()
    await expect(who.page.getByRole('heading', { name: 'Waiting to be let in' })).toBeVisible()
  }
  const waiting = () => lectern.operator.listWaiting({ spaceId, roomId }).then(({ items }) => items.length)

  await ask(grace, await link('Grace Hopper'))
  await expect(grace.page.getByText('Algebra', { exact: true })).toBeVisible()
  await expectAccessible(grace.page)
  await expect(page.getByText('Grace Hopper wants to join')).toBeVisible()
  // She is still there after a reload, in the same place and without asking anew.
  await grace.page.reload()
  await expect(grace.page.getByRole('heading', { name: 'Waiting to be let in' })).toBeVisible()
  expect(await waiting()).toBe(1)
  await page.getByRole('button', { name: 'Admit', exact: true }).click()
  await expectIn(grace.page)

  await ask(eve, await link('Eve'))
  await ask(ada, await link('Ada Lovelace'))
  await page.getByRole('button', { name: 'View' }).click()
  const panel = page.getByRole('complementary', { name: 'Host controls' })
  await panel.getByRole('button', { name: 'Deny Eve' }).click()
  await expect(eve.page.getByRole('heading', { name: 'A moderator didn’t let you in' })).toBeVisible()
  await panel.getByRole('button', { name: 'Admit Ada Lovelace' }).click()
  await expectIn(ada.page)
  await expectAccessible(page)

  await panel.getByRole('switch', { name: 'Lock the room' }).click()
  await expect.poll(async () => (await lectern.operator.getRoom({ spaceId, roomId })).isLocked).toBe(true)
  const late = await person()
  await late.page.goto(await link('Mallory'))
  await late.page.getByRole('button', { name: 'Join' }).click()
  await expect(late.page.getByRole('heading', { name: 'The room is locked' })).toBeVisible()
  // Whoever was there comes back.
  await grace.page.reload()
  await grace.page.getByRole('button', { name: 'Join' }).click()
  await expectIn(grace.page)
  for (const someone of [grace, eve, ada, late]) expect(someone.complaints()).toEqual([])
})

test('removing somebody who came by a link for a group offers what keeps them out, on a phone too', async ({
  lectern,
  person,
  page,
}) => {
  const { link, address, spaceId, roomId } = await makeRoom(lectern)
  await signIn(page, lectern)
  await page.setViewportSize(PHONE)
  await join(page, address)
  const grace = await person()
  await join(grace.page, await link(undefined, { isPermanent: true }), 'Grace Hopper')
  await control(page, 'More').click()
  await page.getByRole('menuitem', { name: 'Host controls' }).click()
  const panel = page.getByRole('complementary', { name: 'Host controls' })
  await panel.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
  await page.getByRole('menuitem', { name: 'Remove from room' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove Grace Hopper?' })
  await expect(dialog.getByText('they could return under another name')).toBeVisible()
  await dialog.getByRole('switch', { name: 'Turn on the waiting room' }).click()
  await dialog.getByRole('switch', { name: 'End this link' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(grace.page.getByRole('heading', { name: 'You were removed from the call' })).toBeVisible()
  const at = { spaceId, roomId }
  await expect
    .poll(async () => [
      (await lectern.operator.getRoom(at)).waitingRoomAudience,
      (await lectern.operator.listLinks(at)).items[0]?.isActive,
    ])
    .toEqual(['guests', false])
})
