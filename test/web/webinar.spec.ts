import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { makeLarge } from './support/crowd.ts'
import { expectFit } from './support/fit.ts'
import { expect, expectAccessible, PHONE } from './support/lectern.ts'
import {
  act,
  control,
  endForAll,
  expectHeard,
  expectIn,
  expectSeen,
  heading,
  join,
  makeRoom,
  openChat,
  openHostPanel,
  openPeople,
  signIn,
  test,
  tile,
  write,
} from './support/room.ts'

/*
 * A webinar from its first viewer to the chat that is kept: a host with an account, a second one by a moderator link, and
 * three viewers, of whom Grace comes before everyone.
 */

test.use({ actionTimeout: 20_000 })

const closePanel = async (page: Page) => {
  await page.keyboard.press('Escape')
  await expect(page.getByRole('complementary')).toHaveCount(0)
}

test('a webinar', { tag: '@long' }, async ({ lectern, person }) => {
  const { operator } = lectern
  const { link, address, alias, spaceId, roomId } = await makeRoom(lectern, { type: 'webinar', name: 'Open day' })
  const at = { spaceId, roomId }
  const [host, second] = [await person(), await person()]
  const [grace, ann, aaron] = [await person(), await person(), await person({ viewport: PHONE })]

  await test.step('a viewer watches', async () => {
    const { page } = grace
    await page.goto(await link('Grace'))
    await expect(page.getByText('You’ll join as a viewer')).toBeVisible()
    await expect(page.locator('video')).toHaveCount(0)
    await page.getByRole('button', { name: 'Join' }).click()
    await expect(page.getByText('Waiting for a moderator')).toBeVisible()
    await expect(control(page, 'Hand')).toBeVisible()
    for (const name of ['Mic', 'Camera', 'Share']) await expect(control(page, name)).toHaveCount(0)
    await signIn(host.page, lectern)
    await join(host.page, address)
    await expectSeen(page, 'operator')
    await second.page.goto(await link('Ada', { role: 'moderator' }))
    await second.page.getByRole('button', { name: 'Camera', exact: true }).click()
    await second.page.getByRole('button', { name: 'Join' }).click()
    await expect(tile(page, 'Ada')).toBeVisible()
    await control(host.page, 'Camera').click()
    // From now on only who is given the floor is heard.
    for (const each of [host, second]) await control(each.page, 'Mic').click()
    await expect(tile(page, 'Grace (you)')).toHaveCount(0)
    await join(ann.page, await link('Ann'))
    await join(aaron.page, await link('Aaron'))
  })

  const peopleOfHost = await openPeople(host.page)
  await test.step('a raised hand is invited to speak, answered, and the floor given back', async () => {
    await control(ann.page, 'Hand').click()
    await expect(control(ann.page, 'Hand')).toHaveAttribute('aria-pressed', 'true')
    // First of all, whoever they are.
    await expect(peopleOfHost.getByRole('listitem').first()).toContainText('Ann')
    await expect(peopleOfHost.getByRole('listitem').first().getByLabel('Hand raised')).toBeVisible()
    await peopleOfHost.getByRole('button', { name: 'Invite to speak' }).click()
    // The room does not let viewers speak yet.
    const question = host.page.getByRole('dialog', { name: 'Invite Ann to speak?' })
    await question.getByRole('button', { name: 'Invite to speak' }).click()
    const invitation = ann.page.getByRole('dialog', { name: 'You’re invited to speak' })
    await expect(control(ann.page, 'Mic')).toHaveAttribute('aria-pressed', 'false')
    await invitation.getByRole('button', { name: 'Join with microphone', exact: true }).click()
    await expect(tile(grace.page, 'Ann')).toBeVisible()
    await expectHeard(host.page)
    await control(ann.page, 'More').click()
    await ann.page.getByRole('menuitem', { name: 'Stop speaking' }).click()
    await expect(control(ann.page, 'Mic')).toHaveCount(0)
    await expect(tile(host.page, 'Ann')).toHaveCount(0)

    await control(ann.page, 'Hand').click()
    await peopleOfHost.getByRole('button', { name: 'Invite to speak' }).click()
    await invitation.getByRole('button', { name: 'Not now' }).click()
    await expect(peopleOfHost.getByText('Live')).toHaveCount(0)
  })

  await test.step('a host without an account sees the people, and why there is nothing to switch', async () => {
    const panel = await openHostPanel(second.page)
    await expect(panel.getByText('Only moderators with an account can change')).toBeVisible()
    await expect(panel.getByRole('switch')).toHaveCount(0)
    await expectAccessible(second.page)
    await control(aaron.page, 'Hand').click()
    await panel.getByRole('button', { name: 'Lower hand of Aaron' }).click()
    await expect(control(aaron.page, 'Hand')).toHaveAttribute('aria-pressed', 'false')
  })

  await test.step('the second host invites too, the first puts the speaker before all, and takes the floor back', async () => {
    await act(second.page, 'Aaron', 'Invite to speak')
    await expect(control(aaron.page, 'Camera')).toHaveAttribute('aria-pressed', 'false')
    await aaron.page.getByRole('button', { name: 'Join with microphone and camera' }).click()
    await expectSeen(host.page, 'Aaron')
    await act(host.page, 'Aaron', 'Spotlight for everyone')
    const widthOf = async (name: string) => (await tile(grace.page, name).boundingBox())?.width ?? 0
    await expect.poll(async () => (await widthOf('Aaron')) > 2 * (await widthOf('Ada'))).toBe(true)
    await act(host.page, 'Aaron', 'Move to viewers')
    await expect(aaron.page.getByText('You’re a viewer again.')).toBeVisible()
    await expect(control(aaron.page, 'Camera')).toHaveCount(0)
    await expect(tile(host.page, 'Aaron')).toHaveCount(0)
  })

  await test.step('as a lesson everyone may be seen and heard', async () => {
    await operator.updateRoom({ ...at, type: 'lesson' })
    await expect(grace.page.getByText('You can now turn on your microphone and camera.')).toBeVisible()
    await operator.updateRoom({ ...at, type: 'webinar' })
    await expect(grace.page.getByText('You’re a viewer again.')).toBeVisible()
  })

  await closePanel(host.page)
  await closePanel(second.page)
  const [chatOfHost, chatOfSecond] = [await openChat(host.page), await openChat(second.page)]
  const [chatOfGrace, chatOfAnn] = [await openChat(grace.page), await openChat(ann.page)]
  await test.step('only hosts see what is written to them', async () => {
    const { page } = grace
    await page.getByLabel('To', { exact: true }).selectOption('To hosts only')
    await expect(page.getByText('Only hosts see this.')).toBeVisible()
    await write(page, 'I can’t hear you')
    for (const chat of [chatOfHost, chatOfSecond, chatOfGrace])
      await expect(chat.getByRole('listitem').filter({ hasText: 'I can’t hear you' })).toContainText(
        'Only hosts see this',
      )
    await expectAccessible(page)
  })

  await test.step('questions are marked as answered', async () => {
    const { page } = grace
    await page.getByLabel('To', { exact: true }).selectOption('To everyone')
    await page.getByLabel('Question', { exact: true }).check()
    await write(page, 'Is there homework?')
    await expect(page.getByLabel('Question', { exact: true })).not.toBeChecked()
    await write(page, 'Hello all')
    await expect(chatOfHost.getByRole('listitem')).toHaveCount(3)
    // What came before these, and is not for her, would have come by now.
    await expect(chatOfAnn.getByText('Hello all')).toBeVisible()
    await expect(chatOfAnn.getByRole('listitem')).toHaveCount(2)
    await host.page.getByText('Unanswered', { exact: true }).click()
    await expect(chatOfHost.getByRole('listitem')).toHaveCount(1)
    await host.page.getByRole('button', { name: 'Mark as answered' }).click()
    await expect(host.page.getByText('No unanswered questions.')).toBeVisible()
    await expect(chatOfGrace.getByText('Answered')).toBeVisible()
    await second.page.getByText('Questions', { exact: true }).click()
    await second.page.getByRole('button', { name: 'Mark as unanswered' }).click()
    await expect(chatOfGrace.getByText('Answered')).toHaveCount(0)
    await expect(page.getByRole('button', { name: /^Mark as/ })).toHaveCount(0)
  })

  await test.step('who is removed cannot come back', async () => {
    await closePanel(second.page)
    await openHostPanel(second.page)
    await act(second.page, 'Aaron', 'Remove from room')
    await second.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect(heading(aaron.page, 'You were removed from the call')).toBeVisible()
    await aaron.page.reload()
    await expect(heading(aaron.page, 'You were removed from this room')).toBeVisible()
  })

  await test.step('of so many that a viewer is not told of each, a host looks for them by name', async () => {
    await makeLarge(lectern, roomId, 'Viewer')
    const people = await openPeople(host.page)
    await control(grace.page, 'Hand').click()
    await expect(heading(host.page, 'People (105)')).toBeVisible()
    await expect(people.getByRole('listitem').filter({ hasText: /Ada|Grace/ })).toHaveCount(2)
    await people.getByRole('searchbox', { name: 'Search by name' }).fill('GRA')
    await expect(people.getByRole('listitem')).toHaveText([/Grace/])
    await expectAccessible(host.page)
    const listed = await openPeople(grace.page)
    await expect(listed.getByText('only moderators, speakers and raised hands are listed')).toBeVisible()
    await expect(listed.getByRole('listitem')).toHaveText([/Grace/, /Ada/, /operator/])
  })

  const { id: callId } = await operator.getLiveCall(at)
  await test.step('the call is ended for all, and the next one has a chat of its own', async () => {
    await endForAll(host.page)
    for (const { page } of [host, second, grace, ann]) await expect(heading(page, 'The call has ended')).toBeVisible()
    const { page } = grace
    await page.getByRole('button', { name: 'Return to room' }).click()
    await expect(page.getByText('A moderator ended the call. You can rejoin in a minute')).toBeVisible()
    await page.getByRole('button', { name: 'Join' }).click()
    await expect(page.getByText('You’ll join automatically')).toBeVisible()
    await expectAccessible(page)
    await host.page.getByRole('button', { name: 'Return to room' }).click()
    await host.page.getByRole('button', { name: 'Join' }).click()
    await expectIn(host.page)
    await expectIn(page)
    await openChat(host.page)
    await expect(host.page.getByText('No messages yet.')).toBeVisible()
  })

  await test.step('afterwards the chat is read and exported in the console', async () => {
    const { page } = host
    await page.goto(`${lectern.url}/spaces/${spaceId}/rooms/${alias}/calls/${callId}`)
    const chat = page.getByRole('region', { name: 'Chat' })
    await expect(chat.getByRole('listitem')).toHaveCount(3)
    await expect(chat.getByRole('listitem').first()).toContainText(/Only hosts.*I can’t hear you/)
    await expectFit(page)
    const saved = async (name: string) => {
      const download = page.waitForEvent('download')
      await chat.getByText(name, { exact: true }).click()
      const file = await download
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
    }
    const json = await saved('JSON')
    expect(json.name).toMatch(/^chat-\d{4}-\d\d-\d\d-Open day\.json$/)
    expect(JSON.parse(json.text)).toMatchObject({
      call: { id: callId, roomName: 'Open day' },
      messages: [{ to: 'hosts' }, { isQuestion: true }, { text: 'Hello all' }],
    })
    const text = await saved('Text')
    expect(text.name).toMatch(/^chat-\d{4}-\d\d-\d\d-Open day\.txt$/)
    expect(text.text).toContain('Grace (question): Is there homework?')
  })
  for (const { complaints } of [host, second, grace, ann, aaron]) expect(complaints()).toEqual([])
})
