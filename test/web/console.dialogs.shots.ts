import type { Page } from '@playwright/test'
import { admit, newPerson, openAs } from './support/console.ts'
import { expect, OPERATOR, PHONE, test } from './support/lectern.ts'
import { makeSchool, newTeacher } from './support/school.ts'
import { shoot, shootDialog } from './support/shots.ts'

/* What the console asks, and what it answers once. */

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const close = async (page: Page) => {
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
}

test('a space and its rooms', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern)
  await openAs(page, lectern, ada, '/spaces')
  await press(page, 'New space')
  await shootDialog(page, 'console-new-space')
  await close(page)

  const { spaceId, lesson } = await makeSchool(ada.api)
  const mary = await newTeacher(lectern, 'Mary Somerville')
  await admit(ada.api, spaceId, mary)
  await page.goto(`${lectern.url}/spaces/${spaceId}`)
  await press(page, 'New room')
  await inDialog(page, 'Create room')
  await expect(page.getByText('This is needed.')).toBeVisible()
  await page.getByRole('radio', { name: 'Webinar' }).check()
  await shootDialog(page, 'console-new-room')

  await page.goto(`${lectern.url}/spaces/${spaceId}/rooms/${lesson.alias}`)
  await press(page, 'New guest link')
  await shootDialog(page, 'console-new-link')
  await page.getByLabel('Guest’s name').fill('Grace Hopper')
  await inDialog(page, 'Create link')
  await expect(page.getByRole('img', { name: 'QR code: Guest link' })).toBeVisible()
  await shootDialog(page, 'console-new-link-ready')
  await inDialog(page, 'Done')
  await page.getByRole('button', { name: 'Revoke: Grace Hopper' }).first().click()
  await shootDialog(page, 'console-revoke-link')
  await close(page)
  await press(page, 'Grant role')
  await shootDialog(page, 'console-grant-role')
  await close(page)
  const at = { spaceId, roomId: lesson.id }
  await ada.api.grantRole({ ...at, targetUserId: mary.id, role: 'role_room_moderator' })
  await mary.api.generateAccess({ ...at, role: 'user', username: 'Sophie Germain', externalUserId: 'student7' })
  await page.reload()
  await page.getByRole('button', { name: 'Revoke: Mary Somerville' }).click()
  await expect(page.getByRole('dialog')).toContainText('1 guest link')
  await shootDialog(page, 'console-revoke-role')
  await inDialog(page, 'Revoke')
  await expect(page.getByText('Inactive')).toBeVisible()
  await shoot(page, 'console-link-inactive', { fullPage: true })
  await press(page, 'Delete room')
  await shootDialog(page, 'console-delete-room')

  await page.goto(`${lectern.url}/spaces/${spaceId}/people`)
  await press(page, 'New invite')
  await shootDialog(page, 'console-new-invite')
  await inDialog(page, 'Create invite')
  await expect(page.getByRole('img', { name: 'QR code: Invite link' })).toBeVisible()
  await shootDialog(page, 'console-new-invite-ready')
  await inDialog(page, 'Done')
  await page.getByRole('button', { name: 'Remove: Mary Somerville' }).click()
  await shootDialog(page, 'console-remove-member')

  await page.goto(`${lectern.url}/spaces/${spaceId}/settings`)
  await press(page, 'Hand over…')
  await shootDialog(page, 'console-hand-over')
  await close(page)
  await press(page, 'Delete space')
  await shootDialog(page, 'console-delete-space')
})

test('an account', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern)
  await openAs(page, lectern, ada, '/account')
  await page.getByLabel('Current password', { exact: true }).fill('wrong password')
  await page.getByLabel('New password', { exact: true }).fill('another password')
  await press(page, 'Change password')
  await expect(page.getByText('This is not right.')).toBeVisible()
  await shoot(page, 'console-account-refused', { fullPage: true })

  await page.setViewportSize(PHONE)
  await press(page, 'Menu')
  await press(page, 'Account: Ada Lovelace')
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
  await shoot(page, 'console-menu')

  await page.goto(`${lectern.url}/clients`)
  await expect(page.getByText('Connect your own system')).toBeVisible()
  await shoot(page, 'console-no-clients', { fullPage: true })
  await page.getByRole('button', { name: 'New API client' }).first().click()
  await shootDialog(page, 'console-new-client')
  await page.getByRole('dialog').getByLabel('Name').fill('School backend')
  await inDialog(page, 'Create client')
  await expect(page.getByLabel('Client secret', { exact: true })).toBeVisible()
  await shootDialog(page, 'console-new-client-ready')
})

test('the operator', async ({ lectern, page }) => {
  const ada = await newPerson(lectern, 'ada')
  await ada.api.createSpaces({ name: 'Riverside School' })
  await openAs(page, lectern, { username: OPERATOR.email, password: OPERATOR.password }, '/operator/users')
  await press(page, 'New user')
  await shootDialog(page, 'console-new-user')
  await close(page)
  await press(page, `Delete: ${ada.username}`)
  await inDialog(page, 'Delete')
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible()
  await shootDialog(page, 'console-delete-user-refused')
  await close(page)
  await press(page, `Reset password: ${ada.username}`)
  await shootDialog(page, 'console-reset-password')
  await inDialog(page, 'Reset password')
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible()
  await shootDialog(page, 'console-reset-password-ready')

  await page.goto(`${lectern.url}/operator/spaces`)
  await page.getByRole('button', { name: 'Change plan: Riverside School' }).first().click()
  await shootDialog(page, 'console-plan')
})
