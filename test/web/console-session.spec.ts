import { heading, newPerson, signInTo } from './support/console.ts'
import { expect, OPERATOR, test, watchForComplaints } from './support/lectern.ts'
import { redirectTricks } from './support/tricks.ts'

test('signing in and out by the form', async ({ page, lectern }) => {
  const complaints = watchForComplaints(page)
  await page.goto(lectern.url)
  await expect(page).toHaveURL(/\/sign-in$/)
  await expect(page).toHaveTitle('Sign in · Lectern')
  // What password managers go by.
  await expect(page.getByLabel('Email or username')).toHaveAttribute('autocomplete', 'username')
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('autocomplete', 'current-password')

  await page.getByLabel('Email or username').fill(OPERATOR.email)
  await page.getByLabel('Password', { exact: true }).fill(OPERATOR.password)
  await page.getByLabel('Password', { exact: true }).press('Enter')
  await expect(heading(page, 'Spaces')).toBeVisible()
  await page.reload()
  await expect(heading(page, 'Spaces')).toBeVisible()

  await page.getByRole('button', { name: 'Account: operator' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(heading(page, 'Sign in')).toBeVisible()
  await page.goto(`${lectern.url}/account`)
  await expect(heading(page, 'Sign in')).toBeVisible()
  expect(complaints).toEqual([])
})

test('a wrong password is said in words, in both languages', async ({ page, lectern }) => {
  const complaints = watchForComplaints(page)
  await page.goto(`${lectern.url}/sign-in`)
  await page.getByLabel('Email or username').fill('nobody')
  await page.getByLabel('Password', { exact: true }).fill('wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert')).toContainText('Incorrect username or password')

  await page.getByText('Русский').click()
  await expect(page.getByRole('alert')).toContainText('Неверное имя пользователя или пароль')
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru')
  await expect(page).toHaveTitle('Вход · Lectern')
  await page.reload()
  await expect(heading(page, 'Вход')).toBeVisible()
  // One refusal, and no attempt to renew a session that never was.
  expect(complaints).toEqual([expect.stringContaining('401')])
})

test('signing in leads back to where one was going, and to no other site', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  const signIn = async () => {
    await page.getByLabel('Email or username').fill(person.username)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.goto(`${lectern.url}/account?from=elsewhere`)
  await signIn()
  await expect(page).toHaveURL(`${lectern.url}/account?from=elsewhere`)
  await expect(heading(page, 'Account')).toBeVisible()

  const left: string[] = []
  page.on('request', request => {
    if (new URL(request.url()).origin !== new URL(lectern.url).origin) left.push(request.url())
  })
  await page.context().clearCookies()
  await page.goto(`${lectern.url}/sign-in?next=/.//evil.example/`)
  await signIn()
  await expect(heading(page, 'Spaces')).toBeVisible()
  // Whoever is signed in already is sent on at once; as when going back to it, the page is not loaded anew.
  for (const next of redirectTricks) {
    await page.evaluate(
      path => {
        history.pushState(null, '', path)
        dispatchEvent(new PopStateEvent('popstate'))
      },
      `/sign-in?${new URLSearchParams({ next })}`,
    )
    await expect(page, JSON.stringify(next)).toHaveURL(`${lectern.url}/spaces`)
    await expect(heading(page, 'Spaces')).toBeVisible()
  }
  expect(left).toEqual([])

  // The room is another page.
  const { id: spaceId } = await person.api.createSpaces({ name: 'Space' })
  const { alias } = await person.api.createRooms({ spaceId, name: 'Room' })
  await page.goto(`${lectern.url}/sign-in?next=/room/${alias}`)
  await expect(page).toHaveURL(`${lectern.url}/room/${alias}`)
})

test('an expired access token is renewed unseen, and a session that is over leads to the sign-in and back', async ({
  page,
  lectern,
}) => {
  const person = await newPerson(lectern)
  await signInTo(page, lectern, person)
  await page.goto(`${lectern.url}/clients`)
  await expect(heading(page, 'API clients')).toBeVisible()

  await page.context().clearCookies({ name: 'accessToken' })
  await page.getByRole('link', { name: 'Spaces' }).first().click()
  await expect(page.getByText('Create your first space')).toBeVisible()

  await person.api.endOtherSessions()
  await page.getByRole('button', { name: `Account: ${person.username}` }).click()
  await page.getByRole('menuitem', { name: 'Account', exact: true }).click()
  await expect(heading(page, 'Sign in')).toBeVisible()
  await page.getByLabel('Email or username').fill(person.username)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(heading(page, 'Account')).toBeVisible()
})
