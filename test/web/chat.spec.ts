import { readFile } from 'node:fs/promises'
import { dispose } from '@livekit/rtc-node'
import type { Page } from '@playwright/test'
import { expectFit } from './support/fit.ts'
import { expect, expectAccessible } from './support/lectern.ts'
import { enterAsGuest } from './support/participant.ts'
import { control, join, makeRoom, signIn, test } from './support/room.ts'

test.afterAll(() => dispose())

const openChat = async (page: Page) => {
  await control(page, 'Chat').click()
  return page.getByRole('log', { name: 'Chat' })
}
const write = async (page: Page, text: string) => {
  await page.getByLabel('Send a message').fill(text)
  await page.getByLabel('Send a message').press('Enter')
}

test('in a webinar viewers ask and write to hosts alone; the chat stays with the call', async ({
  lectern,
  person,
  page,
}) => {
  test.setTimeout(120_000)
  const { spaceId, roomId, alias, link, address } = await makeRoom(lectern, { type: 'webinar', name: 'Open day' })
  const { operator } = lectern
  const at = { spaceId, roomId }
  await signIn(page, lectern)
  await join(page, address)
  const viewer = await person()
  await join(viewer.page, await link('Grace'))
  const other = await enterAsGuest(lectern, { api: operator }, at, 'Mary')
  const hosts = await openChat(page)
  const viewers = await openChat(viewer.page)

  await test.step('only hosts see it', async () => {
    await viewer.page.getByLabel('To', { exact: true }).selectOption('To hosts only')
    await expect(viewer.page.getByText('Only hosts see this.')).toBeVisible()
    await write(viewer.page, 'I can’t hear you')
    for (const chat of [hosts, viewers])
      await expect(chat.getByRole('listitem').filter({ hasText: 'I can’t hear you' })).toContainText(
        'Only hosts see this',
      )
    expect((await other.guest.listMessages(at)).items).toEqual([])
    await expectAccessible(viewer.page)
  })

  await test.step('questions are marked as answered', async () => {
    await viewer.page.getByLabel('To', { exact: true }).selectOption('To everyone')
    await viewer.page.getByLabel('Question', { exact: true }).check()
    await write(viewer.page, 'Is there homework?')
    await expect(viewer.page.getByLabel('Question', { exact: true })).not.toBeChecked()
    await write(viewer.page, 'Hello all')
    await expect(hosts.getByRole('listitem')).toHaveCount(3)
    await page.getByText('Unanswered', { exact: true }).click()
    await expect(hosts.getByRole('listitem')).toHaveCount(1)
    await page.getByRole('button', { name: 'Mark as answered' }).click()
    await expect(page.getByText('No unanswered questions.')).toBeVisible()
    await expect(viewers.getByText('Answered')).toBeVisible()
    await page.getByText('Questions', { exact: true }).click()
    await page.getByRole('button', { name: 'Mark as unanswered' }).click()
    await expect(viewers.getByText('Answered')).toHaveCount(0)
    await expect(viewer.page.getByRole('button', { name: /^Mark as/ })).toHaveCount(0)
  })

  const { id: callId } = await operator.getLiveCall(at)
  await operator.endCall(at)
  await other.room.disconnect()

  await test.step('the next call has a chat of its own', async () => {
    await join(page, address)
    await openChat(page)
    await expect(page.getByText('No messages yet.')).toBeVisible()
  })

  await test.step('afterwards it is read and exported in the console', async () => {
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
  expect(viewer.complaints()).toEqual([])
})
