import { createClient } from '../../client/client.ts'
import { expectSignedOut, heading, newPerson, row, signInTo } from './support/console.ts'
import { expect, OPERATOR, test } from './support/lectern.ts'

const operator = { username: OPERATOR.email, password: OPERATOR.password }

test('the operator makes a user, resets their password and deletes them', async ({ page, lectern }) => {
  await signInTo(page, lectern, operator)
  await page.goto(`${lectern.url}/operator/users`)
  const username = `made-${process.pid}`
  await page.getByRole('button', { name: 'New user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill(`${username}@example.com`)
  await dialog.getByLabel('Username').fill(username)
  await dialog.getByRole('button', { name: 'Create user' }).click()
  const shown = dialog.getByLabel('Password', { exact: true })
  const made = createClient({ baseUrl: lectern.url })
  await made.signIn(username, await shown.inputValue())
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()

  const { clientId: client_id, clientSecret: client_secret } = await made.createClient({ name: 'Backend' })
  const clientSignsIn = () => made.createToken({ grant_type: 'client_credentials', client_id, client_secret })
  const endClients = dialog.getByRole('checkbox', { name: 'Also delete their API clients and personal access tokens' })
  const openReset = () => page.getByRole('button', { name: `Reset password: ${username}` }).click()
  const again = createClient({ baseUrl: lectern.url })
  const reset = async () => {
    await dialog.getByRole('button', { name: 'Reset password' }).click()
    await again.signIn(username, await shown.inputValue())
    await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  }
  await openReset()
  await endClients.check()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await openReset()
  // Asked anew each time.
  await expect(endClients).not.toBeChecked()
  await reset()
  await expectSignedOut(made)
  await clientSignsIn()

  await openReset()
  await endClients.check()
  await reset()
  await expect(clientSignsIn()).rejects.toMatchObject({ code: 'invalid_client' })

  // Refused while they own a space, with what to do about it.
  const { id: spaceId } = await again.createSpaces({ name: 'In the way' })
  await page.getByRole('button', { name: `Delete: ${username}` }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog.getByRole('alert')).toContainText('This user still owns spaces.')
  await again.deleteSpace({ spaceId })
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(row(page, username)).toHaveCount(0)
  await expectSignedOut(again)
})

test('the operator sets plans', async ({ page, lectern }) => {
  const owner = await newPerson(lectern, 'owner')
  const { id: spaceId } = await owner.api.createSpaces({ name: `Planned ${process.pid}` })
  await signInTo(page, lectern, operator)
  await page.goto(`${lectern.url}/operator/spaces`)
  const planned = row(page, `Planned ${process.pid}`)
  await expect(planned).toContainText(owner.username)
  await expect(planned).toContainText('Team')

  await planned.getByRole('button', { name: /^Change plan/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Plan' }).click()
  await page.getByRole('option', { name: 'Business' }).click()
  await dialog.getByLabel('Valid through').fill('2099-12-31')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(planned).toContainText('Business')
  const space = await owner.api.getSpace({ spaceId })
  expect(space.plan).toBe('business')
  expect(new Date(space.planActiveUntil ?? '').getTime()).toBe(new Date('2099-12-31T23:59:59.999').getTime())

  await planned.getByRole('button', { name: /^Change plan/ }).click()
  await expect(dialog.getByLabel('Valid through')).toHaveValue('2099-12-31')
  await dialog.getByLabel('Valid through').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await owner.api.getSpace({ spaceId })).planActiveUntil).toBeNull()
})

test('the operator sees how the service is doing; to others these pages are not there', async ({ page, lectern }) => {
  await signInTo(page, lectern, operator)
  await page.goto(`${lectern.url}/operator/state`)
  await expect(page.getByText('Ready', { exact: true })).toBeVisible()
  await expect(page.getByText('SQLite')).toBeVisible()
  await expect(page.getByText(/free of/)).toBeVisible()
  await expect(page.getByText(/^\d+\.\d+\.\d+$/)).toBeVisible()
  const status = await lectern.operator.getStatus()
  await page.route('**/v1/status', route =>
    route.fulfill({ json: { ...status, media: { status: 'downloading', percent: null } } }),
  )
  await page.reload()
  await expect(page.getByText('Downloading Go to build the media engine')).toBeVisible()
  // What was known stands while the server doesn't answer.
  await page.unroute('**/v1/status')
  await page.route('**/v1/status', route => route.abort())
  await expect(page.getByText('This is the last known status.')).toBeVisible({ timeout: 10_000 })
  await expect(page.getByText('Downloading Go to build the media engine')).toBeVisible()
  await page.unroute('**/v1/status')

  await signInTo(page, lectern, await newPerson(lectern))
  for (const path of ['users', 'spaces', 'state']) {
    await page.goto(`${lectern.url}/operator/${path}`)
    await expect(heading(page, 'Page not found')).toBeVisible()
  }
  await expect(page.getByRole('link', { name: 'Users' })).toBeHidden()
})
