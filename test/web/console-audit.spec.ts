import { readFile } from 'node:fs/promises'
import { admit, anotherPage, heading, newPerson, openAs, row } from './support/console.ts'
import { expect, test } from './support/lectern.ts'

test('the owner finds who did what, filters it and downloads it', async ({ lectern, page, browser }) => {
  const [owner, moderator] = [await newPerson(lectern, 'owner'), await newPerson(lectern, 'moderator')]
  const { id: spaceId } = await owner.api.createSpaces({ name: 'Audited' })
  await admit(owner.api, spaceId, moderator, 'role_space_moderator')
  await moderator.api.createRooms({ spaceId, name: 'By the moderator' })
  for (let number = 1; number <= 50; number++) await owner.api.createRooms({ spaceId, name: `Room ${number}` })

  await openAs(page, lectern, owner, `/spaces/${spaceId}`)
  await page.getByRole('link', { name: 'Audit log' }).click()
  await expect(heading(page, 'Audit log')).toBeVisible()
  await expect(row(page, 'Room 50')).toContainText('Room created')
  await expect(row(page, 'By the moderator')).toHaveCount(0)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(row(page, 'Space created')).toContainText('127.0.0.1')

  await page
    .getByRole('button', { name: `Show only actions by ${moderator.username}` })
    .first()
    .click()
  await expect(row(page, 'Room 50')).toHaveCount(0)
  await expect(row(page, 'Invite used')).toBeVisible()
  await page.getByLabel('Action', { exact: true }).selectOption('Room created')
  await expect(row(page, 'Invite used')).toHaveCount(0)
  await expect(row(page, 'By the moderator')).toBeVisible()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^audit-.*\.csv$/)
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('By the moderator')

  await page.getByLabel('To', { exact: true }).fill('2020-01-31')
  await expect(page.getByText('No matching entries')).toBeVisible()
  await page.getByLabel('To', { exact: true }).fill('')
  await page.getByRole('button', { name: 'Show everyone' }).click()
  await expect(row(page, 'Room 50')).toBeVisible()

  const other = await anotherPage(browser)
  await openAs(other, lectern, moderator, `/spaces/${spaceId}/audit`)
  await expect(other.getByText('Only the owner can see the audit log')).toBeVisible()
  await expect(other.getByRole('link', { name: 'Audit log' })).toHaveCount(0)
})
