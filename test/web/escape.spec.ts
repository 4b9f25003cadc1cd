import { admit, newPerson, openAs } from './support/console.ts'
import { expect, test } from './support/lectern.ts'

/* Escape closes only the topmost thing, in the room too (lesson.spec.ts), and a form says what is missing before it is sent. */

test('in the console a list closes before its dialog, which asks for what is missing', async ({ lectern, page }) => {
  const [owner, member] = [await newPerson(lectern, 'owner'), await newPerson(lectern, 'member')]
  const { id: spaceId } = await owner.api.createSpaces({ name: 'School' })
  await admit(owner.api, spaceId, member)
  await openAs(page, lectern, owner, `/spaces/${spaceId}/settings`)
  await page.getByRole('button', { name: 'Transfer…' }).click()
  const dialog = page.getByRole('dialog')
  const choice = dialog.getByRole('combobox', { name: 'New owner' })
  await choice.click()
  await expect(page.getByRole('option', { name: new RegExp(member.username) })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('option')).toHaveCount(0)
  await expect(dialog).toBeVisible()

  const sent: string[] = []
  page.on('request', request => request.method() !== 'GET' && sent.push(request.url()))
  await dialog.getByRole('button', { name: 'Transfer ownership' }).click()
  await expect(choice).toHaveAccessibleDescription('Required')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  const name = page.getByRole('textbox', { name: /^Name/ })
  await name.fill('  ')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(name).toHaveAccessibleDescription('Required')
  await expect(name).toBeFocused()
  expect(sent).toEqual([])
})
