import { admit, newPerson, openAs, signInTo } from './support/console.ts'
import { expect } from './support/lectern.ts'
import { test } from './support/room.ts'
import { makeSchool, newTeacher } from './support/school.ts'
import { shoot, shootPage } from './support/shots.ts'

/* Who is not signed in, who may not, and what has not come. */

test('at the sign-in', async ({ lectern, page }) => {
  await page.goto(`${lectern.url}/sign-in`)
  await page.getByLabel('Email or username').fill('ada')
  await page.getByLabel('Password', { exact: true }).fill('wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await shoot(page, 'console-sign-in-refused')

  const ada = await newTeacher(lectern)
  await openAs(page, lectern, ada, '/spaces')
  await expect(page.getByText('Create your first space')).toBeVisible()
  await ada.api.endOtherSessions()
  await page.getByRole('button', { name: 'Account: Ada Lovelace' }).click()
  await page.getByRole('menuitem', { name: 'Account', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  await shoot(page, 'console-session-ended')
})

test('with an invite', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern)
  const { spaceId } = await makeSchool(ada.api)
  const { id: inviteId } = await ada.api.createInvite({ spaceId, role: 'role_space_user' })
  await page.goto(`${lectern.url}/invite`)
  await shootPage(page, 'You’re invited', 'console-invite-none')

  await page.goto(`${lectern.url}/invite#${spaceId}/${inviteId}`)
  await page.reload()
  await shootPage(page, 'You’re invited', 'console-invite')
  await page.getByText('Existing account').click()
  await shootPage(page, 'You’re invited', 'console-invite-sign-in')

  await signInTo(page, lectern, await newTeacher(lectern, 'Mary Somerville'))
  await page.reload()
  await expect(page.getByText('You’re signed in as Mary Somerville.')).toBeVisible()
  await shootPage(page, 'You’re invited', 'console-invite-signed-in')

  await admit(ada.api, spaceId, await newPerson(lectern))
  const other = await newPerson(lectern)
  await other.api.activateInvite({ spaceId, inviteId })
  await page.getByRole('button', { name: 'Join space' }).click()
  await expect(page.getByRole('alert')).toContainText('has been used')
  await shootPage(page, 'You’re invited', 'console-invite-used')

  await page.goto(`${lectern.url}/invite#${spaceId}/made-up`)
  await page.reload()
  await page.getByRole('button', { name: 'Join space' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await shootPage(page, 'You’re invited', 'console-invite-unknown')
})

test('as a member', async ({ lectern, page }) => {
  const [ada, mary] = [await newTeacher(lectern), await newTeacher(lectern, 'Mary Somerville')]
  const { spaceId, lesson, webinar } = await makeSchool(ada.api)
  await admit(ada.api, spaceId, mary)
  const at = `/spaces/${spaceId}`
  await openAs(page, lectern, mary, at)
  await shootPage(page, 'Rooms', 'console-member-rooms')
  await page.goto(`${lectern.url}${at}/rooms/${webinar.alias}`)
  await shootPage(page, 'Open day', 'console-member-room')
  await page.goto(`${lectern.url}${at}/rooms/${lesson.alias}`)
  await shootPage(page, /./, 'console-no-role')
  await page.goto(`${lectern.url}${at}/people`)
  await shootPage(page, /./, 'console-member-people')
  await page.goto(`${lectern.url}${at}/webhook`)
  await shootPage(page, /./, 'console-member-webhook')
  await page.goto(`${lectern.url}${at}/settings`)
  await shootPage(page, 'Settings', 'console-member-settings')
  await page.getByRole('button', { name: 'Leave space' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await shoot(page, 'console-leave-space')

  const { id: empty } = await ada.api.createSpaces({ name: 'Evening school' })
  await admit(ada.api, empty, mary)
  await page.goto(`${lectern.url}/spaces/${empty}`)
  await shootPage(page, 'Rooms', 'console-member-no-rooms')

  await admit(ada.api, empty, mary, 'role_space_moderator')
  const { alias } = await ada.api.createRooms({ spaceId: empty, name: 'Chemistry' })
  await page.goto(`${lectern.url}/spaces/${empty}/rooms/${alias}`)
  await shootPage(page, 'Chemistry', 'console-room-of-another')
})

test('nothing comes, or not yet', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern)
  const { spaceId, lesson } = await makeSchool(ada.api)
  await openAs(page, lectern, ada, '/spaces')
  await expect(page.getByText('Riverside School')).toBeVisible()

  await page.route('**/v1/spaces/*/rooms*', () => {})
  await page.goto(`${lectern.url}/spaces/${spaceId}`)
  await expect(page.locator('.mantine-Skeleton-root').first()).toBeVisible()
  await shoot(page, 'console-loading-list')
  await page.route('**/v1/spaces/*/rooms/*', () => {})
  await page.goto(`${lectern.url}/spaces/${spaceId}/rooms/${lesson.alias}`)
  await expect(page.locator('.mantine-Skeleton-root').first()).toBeVisible()
  await shoot(page, 'console-loading-page')
  await page.route('**/v1/auth/session', () => {})
  await page.goto(`${lectern.url}/spaces`)
  await expect(page.locator('.mantine-Loader-root')).toBeVisible()
  await shoot(page, 'console-loading')
  await page.unrouteAll()

  await page.route('**/v1/spaces/*/rooms*', route => route.abort())
  await page.goto(`${lectern.url}/spaces/${spaceId}`)
  await expect(page.getByRole('alert')).toBeVisible({ timeout: 30_000 })
  await shoot(page, 'console-unreachable-list')
  await page.route('**/v1/spaces/*/rooms/*', route => route.abort())
  await page.goto(`${lectern.url}/spaces/${spaceId}/rooms/${lesson.alias}`)
  await expect(page.getByRole('alert')).toBeVisible({ timeout: 30_000 })
  await shoot(page, 'console-unreachable-page')
  await page.route('**/v1/**', route => route.abort())
  await page.goto(`${lectern.url}/spaces`)
  await expect(page.getByRole('alert')).toBeVisible({ timeout: 30_000 })
  await shoot(page, 'console-unreachable')
  await page.unrouteAll()

  // What a deployment may do to an open page.
  await page.goto(`${lectern.url}/spaces`)
  await expect(page.getByText('Riverside School')).toBeVisible()
  await page.route('**/AccountPage*', route => route.abort())
  await page.getByRole('button', { name: 'Account: Ada Lovelace' }).click()
  await page.getByRole('menuitem', { name: 'Account', exact: true }).click()
  await shootPage(page, 'Something went wrong', 'console-broken')
})

test('in Russian', async ({ lectern, person }) => {
  const ada = await newTeacher(lectern, 'Софья Ковалевская')
  const { spaceId, lesson } = await makeSchool(ada.api)
  const { page } = await person({ locale: 'ru-RU' })
  await page.goto(`${lectern.url}/sign-in`)
  await shootPage(page, 'Вход', 'console-russian-sign-in')
  const { id: inviteId } = await ada.api.createInvite({ spaceId, role: 'role_space_user' })
  await page.goto(`${lectern.url}/invite#${spaceId}/${inviteId}`)
  await shootPage(page, 'Вас пригласили', 'console-russian-invite')
  await openAs(page, lectern, ada, `/spaces/${spaceId}`)
  await shootPage(page, /./, 'console-russian-rooms')
  await page.goto(`${lectern.url}/spaces/${spaceId}/rooms/${lesson.alias}`)
  await shootPage(page, 'Algebra, first lesson', 'console-russian-room')
  await page.goto(`${lectern.url}/spaces/${spaceId}/people`)
  await shootPage(page, /./, 'console-russian-people')
  await ada.api.createWebhook({ spaceId, url: 'http://127.0.0.1:9/callbacks' })
  await ada.api.testWebhook({ spaceId })
  await page.goto(`${lectern.url}/spaces/${spaceId}/webhook`)
  await shootPage(page, /./, 'console-russian-webhook')
})
