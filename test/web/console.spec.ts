import { heading } from './support/console.ts'
import { expect, OPERATOR } from './support/lectern.ts'
import { expectSeen, join, test } from './support/room.ts'

test('whoever has never seen it signs in, makes a space and a room, sends a link, and holds a lesson', async ({
  lectern,
  person,
}) => {
  const teacher = await person()
  const { page } = teacher
  await page.goto(lectern.url)
  await page.getByLabel('Email or username').fill(OPERATOR.email)
  await page.getByLabel('Password', { exact: true }).fill(OPERATOR.password)
  await page.getByRole('button', { name: 'Sign in' }).click()

  // Every step is the button in sight.
  await page.getByRole('button', { name: 'New space' }).click()
  await page.getByLabel('Name').fill('Evening school')
  await page.getByRole('button', { name: 'Create space' }).click()
  await page.getByRole('button', { name: 'New room' }).click()
  await page.getByLabel('Name').fill('First lesson')
  await page.getByRole('button', { name: 'Create room' }).click()
  await expect(heading(page, 'First lesson')).toBeVisible()
  await page.getByRole('link', { name: 'People and links' }).click()
  await page.getByRole('button', { name: 'New guest link' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = await page.getByLabel('Guest link', { exact: true }).inputValue()
  await page.getByRole('button', { name: 'Done' }).click()

  const opened = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Open room: First lesson' }).click()
  const room = await opened
  await room.getByRole('button', { name: 'Join' }).click()
  const guest = await person()
  await join(guest.page, link, 'Grace')
  await expectSeen(room, 'Grace')
  await expectSeen(guest.page, 'operator')

  expect([...teacher.complaints(), ...guest.complaints()]).toEqual([])
})
