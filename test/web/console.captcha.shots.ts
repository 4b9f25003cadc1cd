import type { Page } from '@playwright/test'
import { guessAt, makeInvite, solve, test, widget } from './support/captcha.ts'
import { signInTo } from './support/console.ts'
import { expect, OPERATOR } from './support/lectern.ts'
import { shoot } from './support/shots.ts'

/* Where a captcha is asked for. The widget is one of the tests' own. */

const untilShown = (page: Page) => expect(widget(page).getByRole('button', { name: 'I am human' })).toBeVisible()

const fillInAndSend = async (page: Page) => {
  await page.locator('[name="email"]').fill('ada@example.com')
  await page.locator('[name="username"]').fill('ada')
  await page.locator('[name="password"]').fill('correct horse battery')
  await page.locator('[type="submit"]').click()
}

const shootWidget = (page: Page, name: string) => shoot(page, name, { fullPage: true, until: () => untilShown(page) })

test('registering', async ({ page, person, withCaptcha }) => {
  const { lectern, serveTo } = await withCaptcha('hcaptcha')
  const { link } = await makeInvite(lectern)
  await page.route('https://js.hcaptcha.com/**', route => route.abort())
  await page.goto(link)
  const again = page.getByRole('button', { name: 'Try again' })
  await shoot(page, 'console-captcha-blocked', { fullPage: true, until: () => expect(again).toBeVisible() })
  await serveTo(page)
  await again.click()
  await untilShown(page)
  await shootWidget(page, 'console-captcha-register')
  await fillInAndSend(page)
  await expect(page.getByText('Complete the security check')).toBeVisible()
  await shootWidget(page, 'console-captcha-missing')

  const sofia = await person({ locale: 'ru-RU' })
  await serveTo(sofia.page)
  await sofia.page.goto(link)
  await untilShown(sofia.page)
  await fillInAndSend(sofia.page)
  await expect(sofia.page.getByText('Пройдите проверку')).toBeVisible()
  await shootWidget(sofia.page, 'console-captcha-russian')
})

test('a new user, and a sign-in to an account that is guessed at', async ({ page, withCaptcha }) => {
  const { lectern, serveTo } = await withCaptcha('turnstile')
  await serveTo(page)
  await signInTo(page, lectern, { username: OPERATOR.email, password: OPERATOR.password })
  await page.goto(`${lectern.url}/operator/users`)
  await page.getByRole('button', { name: 'New user' }).click()
  await untilShown(page)
  await shootWidget(page, 'console-captcha-new-user')

  await page.context().clearCookies()
  await guessAt(lectern, OPERATOR.email)
  await page.goto(`${lectern.url}/sign-in`)
  await page.getByLabel('Email or username').fill(OPERATOR.email)
  await page.getByLabel('Password', { exact: true }).fill('a wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await untilShown(page)
  await shootWidget(page, 'console-captcha-sign-in')
  await solve(page)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Incorrect username or password')).toBeVisible()
  await shootWidget(page, 'console-captcha-sign-in-refused')
})
