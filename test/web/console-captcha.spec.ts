import type { Page } from '@playwright/test'
import { guessAt, makeInvite, SECRET, SITE_KEY, solve, test, widget } from './support/captcha.ts'
import { heading, signInTo } from './support/console.ts'
import { expectFit, unexpected } from './support/fit.ts'
import { expect, OPERATOR, PHONE, watchForComplaints } from './support/lectern.ts'

const group = (page: Page) => page.getByRole('group', { name: 'Security check' })

const fillIn = async (page: Page, username: string) => {
  await page.getByLabel('Email').fill(`${username}@example.com`)
  await page.getByLabel('Username').fill(username)
}

const register = (page: Page) => page.getByRole('button', { name: 'Create account and join' }).click()

for (const name of ['turnstile', 'hcaptcha', 'recaptcha'] as const)
  test(`whoever registers proves to ${name} that they are human`, {
    tag: name === 'turnstile' ? [] : '@long',
  }, async ({ page, withCaptcha }) => {
    const { lectern, asked, serveTo } = await withCaptcha(name)
    const complaints = watchForComplaints(page)
    const scripts = await serveTo(page)
    const { spaceId, link } = await makeInvite(lectern)
    await page.goto(link)
    await expect(widget(page).getByRole('button', { name: 'I am human' })).toBeVisible()
    const frame = new URL((await page.locator('iframe').getAttribute('src')) ?? '')
    expect(Object.fromEntries(frame.searchParams)).toEqual({
      sitekey: SITE_KEY,
      theme: 'light',
      size: 'normal',
      language: 'en',
    })
    expect(new URL(scripts[0] ?? '').searchParams.get('render')).toBe('explicit')

    await fillIn(page, 'ada')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await register(page)
    await expect(group(page)).toHaveAccessibleDescription('Complete the security check, then try again.')
    await expect(group(page)).toBeFocused()
    await solve(page)
    await expect(group(page).getByRole('alert')).toBeEmpty()
    await register(page)
    await expect(page).toHaveURL(`${lectern.url}/spaces/${spaceId}`)
    expect(asked).toEqual([
      { secret: SECRET, response: expect.stringMatching(/^answer-/), remoteip: expect.any(String) },
    ])
    expect(scripts).toHaveLength(1)
    expect(unexpected(complaints)).toEqual([])
  })

test('an answer that is spent, refused or too old is asked for anew', { tag: '@long' }, async ({
  page,
  withCaptcha,
}) => {
  const { lectern, asked, serveTo } = await withCaptcha('turnstile')
  await serveTo(page)
  const { spaceId, link } = await makeInvite(lectern)
  await page.goto(link)
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await fillIn(page, 'operator')

  await test.step('spent on a name that is taken', async () => {
    await solve(page)
    await register(page)
    await expect(page.getByLabel('Username')).toHaveAccessibleDescription(/This username is taken/)
    await expect(widget(page).getByRole('button', { name: 'I am human' })).toBeVisible()
    await fillIn(page, 'ada')
    await register(page)
    await expect(group(page)).toHaveAccessibleDescription('Complete the security check, then try again.')
    expect(asked).toHaveLength(1)
  })
  await test.step('refused by the provider', async () => {
    await widget(page).getByRole('button', { name: 'I am a robot' }).click()
    await register(page)
    await expect(group(page)).toHaveAccessibleDescription('The security check was not accepted. Complete it again.')
    await expectFit(page)
  })
  await test.step('expired while the form was filled in', async () => {
    await solve(page)
    await widget(page).getByRole('button', { name: 'Expire' }).click()
    await expect(group(page)).toHaveAccessibleDescription('The security check has expired. Complete it again.')
    await register(page)
    await expect(group(page).getByRole('alert')).not.toBeEmpty()
    expect(asked).toHaveLength(2)
  })
  await solve(page)
  await register(page)
  await expect(page).toHaveURL(`${lectern.url}/spaces/${spaceId}`)
})

test('a widget that is blocked or breaks says what to do, and can be tried again', { tag: '@long' }, async ({
  page,
  withCaptcha,
}) => {
  const { lectern, serveTo } = await withCaptcha('hcaptcha')
  const { spaceId, link } = await makeInvite(lectern)
  await test.step('neither comes nor fails', async () => {
    await page.clock.install()
    await page.route('https://js.hcaptcha.com/**', () => {})
    await page.goto(link)
    await expect(group(page)).toHaveAttribute('aria-busy', 'true')
    await page.clock.fastForward(15_000)
    await expect(group(page)).toHaveAccessibleDescription(/didn’t load/)
    await page.clock.resume()
  })
  await test.step('is blocked', async () => {
    await page.route('https://js.hcaptcha.com/**', route => route.abort())
    await page.reload()
    await expect(group(page)).toHaveAccessibleDescription(/didn’t load. Allow js.hcaptcha.com/)
    await expectFit(page)
  })

  await serveTo(page)
  const again = group(page).getByRole('button', { name: 'Try again' })
  await again.click()
  await widget(page).getByRole('button', { name: 'Fail' }).click()
  await expect(group(page)).toHaveAccessibleDescription(/didn’t load/)
  await again.click()
  await expect(again).toHaveCount(0)
  await solve(page)
  await fillIn(page, 'ada')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await register(page)
  await expect(page).toHaveURL(`${lectern.url}/spaces/${spaceId}`)
})

test('the operator makes a user, by keyboard, on a phone, in the dark and in Russian', { tag: '@long' }, async ({
  person,
  withCaptcha,
}) => {
  const { lectern, serveTo } = await withCaptcha('recaptcha')
  const { page, complaints } = await person({ locale: 'ru-RU', viewport: PHONE, colorScheme: 'dark' })
  await serveTo(page)
  await signInTo(page, lectern, { username: OPERATOR.email, password: OPERATOR.password })
  await page.goto(`${lectern.url}/operator/users`)
  await page.getByRole('button', { name: 'Новый пользователь' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('group', { name: 'Проверка, что вы не робот' })).toBeVisible()
  const frame = dialog.locator('iframe')
  await expect(frame).toHaveAttribute('src', /theme=dark&size=compact&language=ru/)
  await expect(widget(page).getByRole('button', { name: 'I am human' })).toBeVisible()
  await expectFit(page)
  // Another scheme, another widget; the one before is gone.
  await expect(frame).toHaveCount(1)
  await expect(frame).toHaveAttribute('src', /theme=light/)
  await expect(widget(page).getByRole('button', { name: 'I am human' })).toBeVisible()

  await dialog.getByLabel('Почта').fill('ada@example.com')
  await dialog.getByLabel('Имя пользователя').fill('ada')
  await page.keyboard.press('Tab')
  await expect(frame).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(widget(page).getByRole('button', { name: 'I am human' })).toBeFocused()
  await page.keyboard.press('Space')
  await expect(widget(page).getByRole('button', { name: 'Solved' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Создать' }).click()
  await expect(dialog.getByLabel('Пароль', { exact: true })).toBeVisible()
  expect((await lectern.operator.listUsers()).items.map(({ username }) => username)).toContain('ada')
  expect(complaints()).toEqual([])
})

test('a sign-in needs none, until the account is guessed at', { tag: '@long' }, async ({ page, withCaptcha }) => {
  const { lectern, asked, serveTo } = await withCaptcha('turnstile')
  const scripts = await serveTo(page)
  const signIn = async (password: string) => {
    await page.getByLabel('Email or username').fill(OPERATOR.email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.goto(`${lectern.url}/sign-in`)
  await signIn(OPERATOR.password)
  await expect(heading(page, 'Spaces')).toBeVisible()
  await page.context().clearCookies()
  await guessAt(lectern, OPERATOR.email)
  await page.goto(`${lectern.url}/sign-in`)
  expect(scripts).toEqual([])

  await signIn(OPERATOR.password)
  await expect(group(page)).toHaveAccessibleDescription('Complete the security check, then try again.')
  await expect(group(page)).toBeFocused()
  await solve(page)
  await signIn('a wrong password')
  await expect(page.getByText('Incorrect username or password')).toBeVisible()
  await expect(widget(page).getByRole('button', { name: 'I am human' })).toBeVisible()
  await expectFit(page)
  await solve(page)
  await signIn(OPERATOR.password)
  await expect(heading(page, 'Spaces')).toBeVisible()
  expect(asked).toHaveLength(2)
})
