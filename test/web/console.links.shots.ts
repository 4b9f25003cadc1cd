import { createClient } from '../../client/client.ts'
import { openAs } from './support/console.ts'
import { expect, test } from './support/lectern.ts'
import { makeSchool, newTeacher } from './support/school.ts'
import { shootDialog, shootPage } from './support/shots.ts'

test.use({ environment: { LECTERN_MEDIA: 'off', LECTERN_EMBED_ORIGINS: 'https://school.example,https://lms.example' } })

test('guest links in all their states, and a room in a frame', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern)
  const { spaceId, lesson } = await makeSchool(ada.api)
  const at = { spaceId, roomId: lesson.id }
  const anonymous = createClient({ baseUrl: lectern.url })
  const make = async (link: Omit<Parameters<typeof ada.api.generateAccess>[0], 'spaceId' | 'roomId'>) =>
    new URL((await ada.api.generateAccess({ ...at, ...link })).url).searchParams.get('accessToken') ?? ''
  const many = await make({ role: 'user', isPermanent: true, label: 'Parents of class 7b' })
  for (const participantName of ['Sophie Germain', 'Mary Somerville'])
    await anonymous.redeemAccess({ accessToken: many, participantName })
  await anonymous.redeemAccess({ accessToken: await make({ role: 'user', username: 'Emmy Noether' }) })
  await openAs(page, lectern, ada, `/spaces/${spaceId}/rooms/${lesson.alias}/people`)
  await shootPage(page, 'Algebra, first lesson', 'console-links')

  await page.getByRole('button', { name: 'Guests: Parents of class 7b' }).click()
  await expect(page.getByRole('dialog')).toContainText('Sophie Germain')
  await shootDialog(page, 'console-link-guests')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Embed', exact: true }).click()
  await shootDialog(page, 'console-embed')
  await page.getByRole('button', { name: 'Create code' }).click()
  await expect(page.getByRole('region', { name: 'Embed code' })).toBeVisible()
  await shootDialog(page, 'console-embed-code')
})
