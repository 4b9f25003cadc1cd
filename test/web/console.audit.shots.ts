import { expect, test } from './support/lectern.ts'
import { signIn } from './support/room.ts'
import { makeSchool } from './support/school.ts'
import { shootPage } from './support/shots.ts'

test('the audit log', async ({ lectern, page }) => {
  const { url, operator } = lectern
  await signIn(page, lectern)
  const { spaceId, lesson } = await makeSchool(operator)
  const { id } = await operator.createUser({
    email: 'ada@school.example',
    username: 'Ada Lovelace',
    password: 'a long password',
  })
  const roomId = lesson.alias
  await operator.grantRole({ spaceId, roomId, targetUserId: id, role: 'role_room_moderator' })
  await operator.generateAccess({ spaceId, roomId, role: 'user', username: 'Grace Hopper' })
  await operator.updateRoom({ spaceId, roomId, isChatAllowed: false })
  const open = async (path: string, name: string) => {
    await page.goto(url + path)
    await shootPage(page, 'Audit log', name)
  }
  await open(`/spaces/${spaceId}/audit`, 'console-audit')
  await page
    .getByRole('button', { name: /^Show only actions by/ })
    .first()
    .click()
  await page.getByLabel('Action', { exact: true }).selectOption('Member removed')
  await expect(page.getByText('No matching entries')).toBeVisible()
  await shootPage(page, 'Audit log', 'console-audit-none')
  await open('/operator/audit', 'console-all-audit')
})
