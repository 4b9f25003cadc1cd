import { admit, newPerson, openAs } from './support/console.ts'
import { expect, OPERATOR, test } from './support/lectern.ts'
import { makeSchool, newTeacher } from './support/school.ts'
import { shoot, shootDialog, shootPage } from './support/shots.ts'

test('first steps, search and many invites', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern)
  await openAs(page, lectern, ada, '/spaces')
  await shootPage(page, 'Spaces', 'console-first-steps')
  const { spaceId } = await makeSchool(ada.api)
  const mary = await newPerson(lectern, 'mary')
  await admit(ada.api, spaceId, mary)
  await page.goto(`${lectern.url}/spaces/${spaceId}?q=open`)
  await shootPage(page, 'Rooms', 'console-rooms-found')
  await page.goto(`${lectern.url}/spaces/${spaceId}?q=nothing`)
  await shootPage(page, 'Rooms', 'console-rooms-none-found')

  await page.goto(`${lectern.url}/spaces/${spaceId}?type=webinar`)
  await shootPage(page, 'Rooms', 'console-rooms-filtered')
  await page.goto(`${lectern.url}/spaces/${spaceId}/people?role=role_space_user`)
  await shootPage(page, 'People', 'console-people-filtered')
  await page.goto(`${lectern.url}/spaces/${spaceId}/calls?from=2026-01-31&to=2026-02-28`)
  await shootPage(page, 'Past calls', 'console-calls-filtered')

  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('combobox', { name: 'Search' }).fill('p')
  await expect(page.getByRole('option', { name: /Physics/ })).toBeVisible()
  await shootDialog(page, 'console-jump')

  await page.goto(`${lectern.url}/spaces/${spaceId}/people`)
  await page.getByRole('button', { name: /^Make moderator/ }).click()
  await shootDialog(page, 'console-make-moderator')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Invite many' }).click()
  const lines = page.getByLabel('One person per line')
  await lines.fill('Grace Hopper\nada@example.com\ngrace hopper')
  await shootDialog(page, 'console-many-invites-problems')
  await lines.fill('Grace Hopper\nada@example.com\nSophie Germain')
  await shootDialog(page, 'console-many-invites')
  await page.getByRole('button', { name: 'Create 3 invites' }).click()
  await expect(page.getByRole('table', { name: 'Invites created' })).toBeVisible()
  await shoot(page, 'console-many-invites-ready')

  await openAs(page, lectern, { username: OPERATOR.email, password: OPERATOR.password }, '/operator/state')
  await shootPage(page, 'Status', 'console-status')
})
