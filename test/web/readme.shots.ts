import { type Look, looks, withDrawnPerson } from './support/footage.ts'
import { DESKTOP, expect } from './support/lectern.ts'
import { control, expectSeen, join, makeRoom, test } from './support/room.ts'

/* The picture of the README: copy screenshots/readme-room.png to docs/room.png. */

test('a lesson with people in it, and the chat', async ({ lectern, person }) => {
  const { link } = await makeRoom(lectern, { name: 'Algebra, first lesson' })
  const enter = async (look: Look, name: string, role: 'user' | 'moderator' = 'user') => {
    const { page } = await person({ viewport: DESKTOP })
    await withDrawnPerson(page.context(), look)
    await join(page, await link(name, { role }))
    return page
  }
  const say = async (page: Awaited<ReturnType<typeof enter>>, text: string) => {
    await page.getByLabel('Send a message').fill(text)
    await page.keyboard.press('Enter')
    await expect(page.getByText(text)).toBeVisible()
  }
  const ada = await enter(looks.teacher, 'Ada Lovelace', 'moderator')
  const grace = await enter(looks.grace, 'Grace Hopper')
  await enter(looks.alan, 'Alan Turing')
  const mary = await enter(looks.mary, 'Mary Somerville')
  for (const name of ['Grace Hopper', 'Alan Turing', 'Mary Somerville']) await expectSeen(ada, name)
  for (const page of [ada, grace, mary]) await control(page, 'Chat').click()
  await say(grace, 'Good evening!')
  await say(ada, 'Good evening, everyone. Today: squares of sums.')
  await say(mary, 'Is the homework due on Friday?')
  await expect(ada.getByText('Is the homework due on Friday?')).toBeVisible()
  await control(mary, 'Hand').click()
  await expect(
    ada.getByRole('figure', { name: 'Mary Somerville' }).getByRole('img', { name: 'Hand raised' }),
  ).toBeVisible()
  // What passes over the stage has passed.
  await expect(ada.getByText('Mary Somerville raised their hand.')).toBeHidden({ timeout: 20_000 })
  await ada.mouse.move(0, 0)
  await ada.screenshot({
    path: 'screenshots/readme-room.png',
    animations: 'disabled',
    // Four cameras in one machine: the connection may be called poor.
    style: '[data-lost] { display: none }',
  })
})
