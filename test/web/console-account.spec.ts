import { createClient } from '../../client/client.ts'
import { expectSignedOut, heading, newPerson, row, signInTo } from './support/console.ts'
import { expect, test, watchForComplaints } from './support/lectern.ts'

test('the profile is changed, with what is taken said at its field', async ({ page, lectern }) => {
  const [person, other] = [await newPerson(lectern), await newPerson(lectern, 'other')]
  await signInTo(page, lectern, person)
  await page.goto(`${lectern.url}/account`)
  const complaints = watchForComplaints(page)

  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
  await page.getByLabel('Username').fill(other.username)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByLabel('Username')).toHaveAccessibleDescription('This username is taken. Choose another.')
  await expect(page.getByLabel('Username')).toBeFocused()
  expect(complaints).toEqual([expect.stringContaining('409')])

  const username = `${person.username}-renamed`
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Email').fill(`${username}@example.com`)
  await page.getByLabel('Phone').fill('+372 5555 1234')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: 'Account: Ada Lovelace' })).toBeVisible()
  expect(await person.api.getMe()).toMatchObject({
    displayName: 'Ada Lovelace',
    username,
    email: `${username}@example.com`,
    phone: '+372 5555 1234',
  })
  await page.reload()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Ada Lovelace')
})

test('the password is changed, which ends the other sessions', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  await signInTo(page, lectern, person)
  await page.goto(`${lectern.url}/account`)
  const current = page.getByLabel('Current password', { exact: true })
  await current.fill('wrong password')
  await page.getByLabel('New password', { exact: true }).fill('another password')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(current).toHaveAccessibleDescription('Incorrect')

  await current.fill(person.password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Password changed.')).toBeVisible()
  await expect(current).toHaveValue('')
  await expectSignedOut(person.api)
  await createClient({ baseUrl: lectern.url }).signIn(person.username, 'another password')
  await page.reload()
  await expect(heading(page, 'Account')).toBeVisible()
})

test('sessions are listed and ended, one and all others', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  const [second, third] = [createClient({ baseUrl: lectern.url }), createClient({ baseUrl: lectern.url })]
  await signInTo(page, lectern, person)
  await page.goto(`${lectern.url}/account`)
  const sessions = page.getByRole('table', { name: 'Sessions' }).getByRole('row')
  // The head, this one, and that of the program which made the account's things.
  await expect(sessions).toHaveCount(3)
  await expect(row(page, 'Current').getByRole('button')).toHaveCount(0)
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect(sessions).toHaveCount(2)
  await expectSignedOut(person.api)

  await second.signIn(person.username, person.password)
  await third.signIn(person.username, person.password)
  await page.reload()
  await expect(sessions).toHaveCount(4)
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await expect(sessions).toHaveCount(2)
  for (const api of [second, third]) await expectSignedOut(api)
})

test('an API client is made, its secret shown once, and deleted', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  await signInTo(page, lectern, person)
  await page.goto(`${lectern.url}/clients`)
  await page.getByRole('button', { name: 'New API client' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('School backend')
  await dialog.getByRole('button', { name: 'Create client' }).click()
  const secret = dialog.getByLabel('Client secret', { exact: true })
  const credentials = {
    client_id: await dialog.getByLabel('Client ID', { exact: true }).inputValue(),
    client_secret: await secret.inputValue(),
  }
  const token = () => person.api.createToken({ grant_type: 'client_credentials', ...credentials })
  expect((await token()).token_type).toBe('Bearer')
  // It does not go by accident.
  await page.keyboard.press('Escape')
  await expect(secret).toBeVisible()
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await expect(secret).toBeHidden()
  await page.reload()
  await expect(row(page, 'School backend')).toBeVisible()
  await expect(page.getByText(credentials.client_secret)).toHaveCount(0)

  await page.getByRole('button', { name: 'Delete: School backend' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Connect your own system')).toBeVisible()
  await expect(token()).rejects.toMatchObject({ status: 401 })
})

test('a personal access token is made for what is chosen, shown once, and deleted', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  await signInTo(page, lectern, person)
  await page.goto(`${lectern.url}/tokens`)
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('School backend')
  await dialog.getByRole('radio', { name: 'Only what I choose' }).check()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(dialog.getByText('Choose at least 1')).toBeVisible()
  await dialog.getByLabel('Spaces', { exact: true }).selectOption('Read')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const secret = dialog.getByLabel('Token', { exact: true })
  const token = await secret.inputValue()
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await expect(secret).toBeHidden()
  await expect(row(page, 'School backend')).toContainText('Never')

  const client = createClient({ baseUrl: lectern.url, token })
  expect((await client.listSpaces()).items).toEqual([])
  await expect(client.createSpaces({ name: 'No' })).rejects.toMatchObject({ status: 403, code: 'scope_required' })
  await page.reload()
  await expect(row(page, 'School backend')).toContainText('spaces:read')
  await expect(row(page, 'School backend')).toContainText('in 3 months')
  await expect(row(page, 'School backend')).not.toContainText('Never')
  await expect(page.getByText(token)).toHaveCount(0)

  await page.getByRole('button', { name: 'Delete: School backend' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Use the API without a password')).toBeVisible()
  await expect(client.listSpaces()).rejects.toMatchObject({ status: 401 })
})
