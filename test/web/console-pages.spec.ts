import type { Page } from '@playwright/test'
import messages from '../../web/messages/en/console.ts'
import { isLong } from '../support/long.ts'
import { expectNoOverflow, heading, newPerson, signInTo } from './support/console.ts'
import { expectFitOnPhone } from './support/fit.ts'
import {
  expect,
  expectAccessible,
  type Installation,
  OPERATOR,
  PHONE,
  showIn,
  test,
  watchForComplaints,
} from './support/lectern.ts'
import { makePages, operatorsPages } from './support/pages.ts'

const operator = { username: OPERATOR.email, password: OPERATOR.password }

const titleOf = (name: string) => (messages as Record<string, string>)[name] ?? name

/** Nothing is on its way any more. */
const settle = async (page: Page, title: string) => {
  await expect(heading(page, title)).toBeVisible()
  await expect(page.locator('.mantine-Skeleton-root, .mantine-Loader-root')).toHaveCount(0)
}

/** In the dark only in the long run: but for the colours nothing is different there. */
const expectAccessibleInAnyLight = async (page: Page) => {
  await showIn(page, 'light')
  await expectAccessible(page)
  if (!isLong) return
  await showIn(page, 'dark')
  await expectAccessible(page, 'color-contrast')
}

const expectInOrder = async (page: Page, { url }: Installation, pages: Record<string, string>) => {
  const complaints = watchForComplaints(page)
  for (const [path, name] of Object.entries(pages)) {
    const title = titleOf(name)
    await page.goto(url + path)
    await settle(page, title)
    await expect(page).toHaveURL(url + path)
    expect(await page.title()).toMatch(new RegExp(`^${title} · (.+ · )?Lectern$`))
    await expectAccessibleInAnyLight(page)
    await expectFitOnPhone(page)
  }
  // What is not there is told by a 404, as is a room that nobody is in.
  expect(complaints.filter(complaint => !complaint.includes('404'))).toEqual([])
}

test('every page has an address and a name, is accessible in light and dark, and fits a phone', async ({
  page,
  lectern,
}) => {
  const someone = await newPerson(lectern)
  await signInTo(page, lectern, someone)
  await expectInOrder(page, lectern, await makePages(someone.api))
})

test('so has, and is, every page of the operator', { tag: '@long' }, async ({ page, lectern }) => {
  await signInTo(page, lectern, operator)
  await expectInOrder(page, lectern, operatorsPages)
})

test('the pages for who is not signed in are accessible, too', async ({ page, lectern }) => {
  await page.goto(`${lectern.url}/sign-in`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  for (const name of ['Email or username', 'Password'])
    await expect(page.getByLabel(name, { exact: true })).toHaveAccessibleDescription('Required')
  await expect(page.getByLabel('Email or username')).toBeFocused()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expectAccessibleInAnyLight(page)
  const { id: spaceId } = await lectern.operator.createSpaces({ name: 'School' })
  const { id: inviteId } = await lectern.operator.createInvite({ spaceId, role: 'role_space_user' })
  await page.goto(`${lectern.url}/invite#${spaceId}/${inviteId}`)
  await settle(page, 'You’re invited')
  await expectAccessibleInAnyLight(page)

  await lectern.operator.revokeInvite({ spaceId, inviteId })
  await page.reload()
  await expect(page.getByRole('alert')).toBeVisible()
  await expectAccessibleInAnyLight(page)
})

test('so are dialogs, secrets and menus', async ({ page, lectern }) => {
  await signInTo(page, lectern, operator)
  await page.goto(`${lectern.url}/clients`)
  await page.getByRole('button', { name: 'New API client' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Backend')
  await expectAccessibleInAnyLight(page)
  await page.getByRole('button', { name: 'Create client' }).click()
  await expect(page.getByLabel('Client secret', { exact: true })).toBeVisible()
  await expectAccessibleInAnyLight(page)
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await page.getByRole('button', { name: 'Delete: Backend' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectAccessibleInAnyLight(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: /^Account: / }).click()
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
  await expectAccessibleInAnyLight(page)
})

test('on a phone the navigation is a drawer', async ({ browser, lectern }) => {
  const page = await (await browser.newContext({ viewport: PHONE, hasTouch: true })).newPage()
  await page.goto(`${lectern.url}/sign-in`)
  await settle(page, 'Sign in')
  await expectNoOverflow(page)
  await signInTo(page, lectern, operator)
  await page.goto(`${lectern.url}/spaces`)
  await settle(page, 'Spaces')
  const users = page.getByRole('link', { name: 'Users' })
  await expect(users).not.toBeInViewport()
  await page.getByRole('button', { name: 'Menu' }).click()
  await expect(users).toBeInViewport()
  await expectNoOverflow(page)
  await users.click()
  await expect(heading(page, 'Users')).toBeVisible()
  await expect(users).not.toBeInViewport()
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByText('Русский').click()
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru')
  await expectNoOverflow(page)
  await page.context().close()
})

test('by keyboard: to the content, and after a navigation on from its heading', async ({ page, lectern }) => {
  await signInTo(page, lectern, operator)
  await page.goto(`${lectern.url}/account`)
  await settle(page, 'Account')
  await page.keyboard.press('Tab')
  const skip = page.getByRole('button', { name: 'Skip to content' })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()

  await page.getByRole('link', { name: 'Users' }).focus()
  await page.keyboard.press('Enter')
  await expect(heading(page, 'Users')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'New user' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').getByLabel('Email')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByRole('button', { name: 'New user' })).toBeFocused()
})

test('a page that cannot be fetched leaves the navigation in place, and can be tried again', async ({
  page,
  lectern,
}) => {
  await signInTo(page, lectern, operator)
  await page.goto(`${lectern.url}/account`)
  await settle(page, 'Account')
  await page.route('**', route => route.abort())
  await page.getByRole('link', { name: 'Users' }).click()
  await expect(page.getByRole('alert')).toContainText('Can’t reach the server. Check your connection and try again.')
  // To its end, so that only the second try finds the service.
  const failed = page.waitForEvent('requestfailed', request => request.url().endsWith('/healthz'))
  await page.getByRole('button', { name: 'Try again' }).click()
  await failed
  await expect(page.getByRole('link', { name: 'Users' })).toBeVisible()
  await page.unroute('**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(heading(page, 'Users')).toBeVisible()
})

test('the colours follow the device until they are chosen, and the choice stays', async ({ page, lectern }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await signInTo(page, lectern, operator)
  await page.goto(`${lectern.url}/spaces`)
  const root = page.locator('html')
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await settle(page, 'Spaces')
  await expectAccessible(page)
  await page.getByRole('radio', { name: 'System' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('radio', { name: 'Light' })).toBeChecked()
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'light')
  await page.reload()
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'light')
})
