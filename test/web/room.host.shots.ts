import { PIXEL } from '../support/pixel.ts'
import { expect } from './support/lectern.ts'
import { control, expectSeen, join, makeRoom, signIn, test } from './support/room.ts'
import { shoot, shootDialog } from './support/shots.ts'

/* What a host decides: who comes in, and who does not come back. */

test('the waiting room, the lock, and a removal', async ({ lectern, person, page }) => {
  const { link, address, spaceId, roomId } = await makeRoom(lectern, { waitingRoomAudience: 'guests' })
  const { operator } = lectern
  await operator.setSpaceLogo({ spaceId, file: new Blob([PIXEL], { type: 'image/png' }) })
  await signIn(page, lectern)
  await join(page, address)
  const people = await Promise.all(['Grace Hopper', 'Eve', 'Ada Lovelace, Countess of Lovelace'].map(() => person()))
  const [grace, eve, ada] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]]
  const ask = async (who: typeof grace, name: string) => {
    await who.page.goto(await link(undefined, { isPermanent: true }))
    await who.page.getByLabel('Your name').fill(name)
    await who.page.getByRole('button', { name: 'Join' }).click()
    await expect(who.page.getByRole('heading', { name: 'Waiting to be let in' })).toBeVisible()
  }
  await ask(grace, 'Grace Hopper')
  await shoot(grace.page, 'room-waiting')
  await expect(page.getByText('Grace Hopper wants to join')).toBeVisible()
  await shoot(page, 'room-host-asked')
  await ask(eve, 'Eve')
  await ask(ada, 'Ada Lovelace, Countess of Lovelace')
  await expect(page.getByText('3 people want to join')).toBeVisible()
  await shoot(page, 'room-host-asked-many')
  await page.getByRole('button', { name: 'View' }).click()
  await shoot(page, 'room-host-panel-waiting')
  const panel = page.getByRole('complementary', { name: 'Host controls' })
  await panel.getByRole('button', { name: 'Deny Eve' }).click()
  await expect(eve.page.getByRole('heading', { name: 'A moderator didn’t let you in' })).toBeVisible()
  await shoot(eve.page, 'room-denied')
  await panel.getByRole('button', { name: 'Admit all' }).click()
  await expectSeen(page, 'Grace Hopper')
  await operator.updateRoom({ spaceId, roomId, waitingRoomAudience: 'nobody', isLocked: true })
  await expect(panel.getByRole('switch', { name: 'Lock the room' })).toBeChecked()
  await shoot(page, 'room-host-panel')
  await panel.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
  await page.getByRole('menuitem', { name: 'Remove from room' }).click()
  await expect(page.getByRole('dialog').getByText('could return under another name')).toBeVisible()
  await shootDialog(page, 'room-remove-of-many')
  await page.keyboard.press('Escape')
  await eve.page.goto(await link('Mallory'))
  await eve.page.getByRole('button', { name: 'Join' }).click()
  await expect(eve.page.getByRole('heading', { name: 'The room is locked' })).toBeVisible()
  await shoot(eve.page, 'room-locked')
  await control(page, 'Leave').click()
})
