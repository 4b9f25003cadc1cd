import { admit, anotherPage, heading, newPerson, row, signInTo } from './support/console.ts'
import { expect, test, watchForComplaints } from './support/lectern.ts'

test('a space is made, changed and deleted', async ({ page, lectern }) => {
  const complaints = watchForComplaints(page)
  const person = await newPerson(lectern)
  await signInTo(page, lectern, person)
  await page.goto(`${lectern.url}/spaces`)

  await page.getByRole('button', { name: 'New space' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Evening school')
  await dialog.getByRole('button', { name: 'Create space' }).click()
  await expect(heading(page, 'Rooms')).toBeVisible()
  await expect(page).toHaveTitle('Rooms · Evening school · Lectern')
  expect(complaints).toEqual([])

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Name').fill('Morning school')
  await page.getByLabel('Description').fill('Languages')
  await page.getByLabel('Logo URL').fill('not an address')
  await page.getByLabel('Public space').check()
  await page.getByRole('button', { name: 'Save' }).click()
  // The service refuses, and the page says so at the field.
  await expect(page.getByLabel('Logo URL')).toHaveAccessibleDescription(/starts with https/)
  await expect(page.getByLabel('Logo URL')).toBeFocused()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.getByLabel('Logo URL').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved')).toBeVisible()

  await page.getByRole('link', { name: 'Spaces', exact: true }).click()
  await expect(row(page, 'Morning school')).toContainText('Owner')
  await expect(row(page, 'Morning school')).toContainText('Public')
  const { items } = await person.api.listSpaces()
  expect(items).toMatchObject([{ name: 'Morning school', description: 'Languages', logo: null, isPublic: true }])

  await page.getByRole('link', { name: 'Morning school' }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Delete space' }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete space' })
  await expect(confirm).toBeDisabled()
  await page.getByLabel('Type “Morning school” to confirm').fill('Morning school')
  await confirm.click()
  await expect(page.getByText('Create your first space')).toBeVisible()
  expect((await person.api.listSpaces()).items).toEqual([])
})

test('a space is handed over, and who is left may leave', async ({ page, browser, lectern }) => {
  const [owner, heir] = [await newPerson(lectern, 'owner'), await newPerson(lectern, 'heir')]
  const { id: spaceId } = await owner.api.createSpaces({ name: 'Heirloom' })
  await admit(owner.api, spaceId, heir)

  await signInTo(page, lectern, owner)
  await page.goto(`${lectern.url}/spaces/${spaceId}/settings`)
  await page.getByRole('button', { name: 'Transfer…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Transfer ownership' }).click()
  await expect(dialog.getByRole('combobox', { name: 'New owner' })).toHaveAccessibleDescription(/./)
  await expect(page.getByRole('listbox')).toHaveCount(0)
  await dialog.getByRole('combobox', { name: 'New owner' }).click()
  await page.getByRole('option', { name: heir.username }).click()
  await dialog.getByRole('button', { name: 'Transfer ownership' }).click()
  await expect(page.getByText('Ownership transferred.')).toBeVisible()
  // What belongs to the owner is gone from the page at once.
  await expect(page.getByRole('button', { name: 'Save' })).toBeHidden()
  await expect(page.getByRole('link', { name: 'Webhook' })).toBeHidden()

  await page.getByRole('button', { name: 'Leave space' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave space' }).click()
  await expect(page.getByText('Create your first space')).toBeVisible()

  const heirs = await anotherPage(browser)
  await signInTo(heirs, lectern, heir)
  await heirs.goto(`${lectern.url}/spaces/${spaceId}/settings`)
  await expect(heirs.getByRole('button', { name: 'Save' })).toBeVisible()
  await heirs.context().close()
})

test('lists come page by page', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  for (let number = 1; number <= 51; number++) await person.api.createSpaces({ name: `Space ${number}.` })
  await signInTo(page, lectern, person)
  await page.goto(`${lectern.url}/spaces`)
  await expect(row(page, 'Space 51.')).toBeVisible()
  await expect(row(page, 'Space 1.')).toHaveCount(0)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(row(page, 'Space 1.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Show more' })).toBeHidden()
})
