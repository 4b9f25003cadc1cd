import type { Page } from '@playwright/test'
import { PIXEL } from '../support/pixel.ts'
import { startReceiver, status } from '../support/receiver.ts'
import { signInTo } from './support/console.ts'
import { expect, OPERATOR } from './support/lectern.ts'
import { enter, enterAsGuest } from './support/participant.ts'
import { makeRoom, test } from './support/room.ts'
import { say } from './support/russian.ts'
import { makeSchool, newTeacher } from './support/school.ts'
import { shoot, shootDialog, shootPage } from './support/shots.ts'

/* The states that have the longest words, in Russian. */

const LANGUAGE = { locale: 'ru-RU' }
test.use({ ...LANGUAGE, actionTimeout: 30_000, environment: { LECTERN_WEBHOOK_SCHEDULE: '0,1,1' } })

const button = (page: Page, key: string, name?: string) =>
  page.getByRole('button', { name: say(key, name), exact: true })
const item = (page: Page, key: string) => page.getByRole('menuitem', { name: say(key), exact: true })
const title = (page: Page, key: string) => page.getByRole('heading', { level: 1, name: say(key) })
const control = (page: Page, key: string) =>
  page
    .getByRole('navigation', { name: say('live.controls') })
    .getByRole('button', { name: say(`live.control.${key}`), exact: true })
const isIn = (page: Page) => expect(page.locator('main[data-state="connected"]')).toBeVisible()

test('a room from the door to the end', async ({ lectern, person, page }) => {
  const { link, address, spaceId, roomId } = await makeRoom(lectern, {
    name: 'Алгебра, первый урок',
    waitingRoomAudience: 'guests',
  })
  const { operator } = lectern
  await operator.updateSpace({ spaceId, name: 'Вечерняя школа' })
  await operator.setSpaceLogo({ spaceId, file: new Blob([PIXEL], { type: 'image/png' }) })
  await signInTo(page, lectern, { username: OPERATOR.email, password: OPERATOR.password })
  await page.goto(address)
  await button(page, 'lobby.join').click()
  await isIn(page)
  const [sofia, emmy] = [await person(LANGUAGE), await person(LANGUAGE)]
  const forMany = await link(undefined, { isPermanent: true })
  const ask = async (who: Page, name: string) => {
    await who.goto(forMany)
    await who.getByLabel(say('lobby.name')).fill(name)
    await shoot(who, `ru-room-lobby-${name === 'Софья Ковалевская' ? 'one' : 'two'}`)
    await button(who, 'lobby.join').click()
    await expect(title(who, 'waiting.title')).toBeVisible()
  }
  await ask(sofia.page, 'Софья Ковалевская')
  await shoot(sofia.page, 'ru-room-waiting')
  await expect(page.getByText(say('host.waiting.one', 'Софья Ковалевская'))).toBeVisible()
  await shoot(page, 'ru-room-asked')
  await ask(emmy.page, 'Эмми Нётер')
  await button(page, 'host.waiting.view').click()
  await shoot(page, 'ru-room-host-waiting')
  await button(page, 'host.waiting.admitName', 'Софья Ковалевская').click()
  await isIn(sofia.page)
  await button(page, 'host.waiting.denyName', 'Эмми Нётер').click()
  await expect(title(emmy.page, 'closed.denied.title')).toBeVisible()
  await shoot(emmy.page, 'ru-room-denied')
  await operator.updateRoom({ spaceId, roomId, waitingRoomAudience: 'nobody', isLocked: true })
  await expect(page.getByRole('switch', { name: say('host.lock') })).toBeChecked()
  await shoot(page, 'ru-room-host')
  await page.getByRole('list', { name: say('host.links') }).scrollIntoViewIfNeeded()
  await shoot(page, 'ru-room-host-links')
  await emmy.page.goto(await link('Мэри'))
  await expect(title(emmy.page, 'closed.room_locked.title').or(button(emmy.page, 'lobby.join'))).toBeVisible()
  if (await button(emmy.page, 'lobby.join').isVisible()) await button(emmy.page, 'lobby.join').click()
  await expect(title(emmy.page, 'closed.room_locked.title')).toBeVisible()
  await shoot(emmy.page, 'ru-room-locked')
  await control(sofia.page, 'hand').click()
  await page.setViewportSize({ width: 360, height: 740 })
  await expect(page.getByText(say('live.handOf', 'Софья Ковалевская'))).toBeVisible()
  await page.screenshot({ path: 'screenshots/ru-room-notice-below-panel-phone-dark.png' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await control(page, 'people').click()
  await shoot(page, 'ru-room-people')
  await control(page, 'chat').click()
  await page.getByLabel(say('chat.write')).fill('Добрый вечер! Начинаем.')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('log').getByText('Начинаем')).toBeVisible()
  await shoot(page, 'ru-room-chat')
  await control(page, 'more').click()
  await shoot(page, 'ru-room-more')
  await page.keyboard.press('Escape')
  await control(page, 'people').click()
  await button(page, 'people.actions', 'Софья Ковалевская').click()
  await item(page, 'people.remove.menu').click()
  await shootDialog(page, 'ru-room-remove')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: say('people.remove.action'), exact: true })
    .click()
  await expect(title(sofia.page, 'ended.removed.title')).toBeVisible()
  await shoot(sofia.page, 'ru-room-removed')
  await control(page, 'leave').click()
  await page.getByRole('menuitem', { name: say('live.endForAll') }).click()
  await shootDialog(page, 'ru-room-end')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: say('live.endForAll'), exact: true })
    .click()
  await expect(title(page, 'ended.ended.title')).toBeVisible()
  await shoot(page, 'ru-room-ended-host')
})

test('a webinar, by a host without an account', async ({ lectern, person, page }) => {
  const { link } = await makeRoom(lectern, { type: 'webinar', name: 'День открытых дверей', isFloorAllowed: true })
  await page.goto(await link('Ада Лавлейс', { role: 'moderator' }))
  await button(page, 'lobby.join').click()
  await isIn(page)
  const viewer = await person(LANGUAGE)
  await viewer.page.goto(await link('Софья Ковалевская'))
  await shoot(viewer.page, 'ru-webinar-lobby')
  await button(viewer.page, 'lobby.join').click()
  await isIn(viewer.page)
  await control(viewer.page, 'hand').click()
  await control(page, 'host').click()
  await expect(button(page, 'people.giveFloor').first()).toBeVisible()
  await shoot(page, 'ru-webinar-host')
  await button(page, 'people.giveFloor').first().click()
  await expect(viewer.page.getByRole('dialog')).toBeVisible()
  await shootDialog(viewer.page, 'ru-webinar-invited')
  await viewer.page.getByRole('dialog').getByRole('button').last().click()
  await control(viewer.page, 'chat').click()
  await shoot(viewer.page, 'ru-webinar-chat')
})

test('the console', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern, 'Ада Лавлейс')
  const { spaceId, lesson } = await makeSchool(ada.api)
  await ada.api.updateSpace({ spaceId, name: 'Вечерняя школа', description: 'Математика и физика, 7–11 классы' })
  await ada.api.updateRoom({ spaceId, roomId: lesson.id, name: 'Алгебра, первый урок' })
  const at = { spaceId, roomId: lesson.id }
  const receiver = await startReceiver()
  receiver.on('/callbacks', status(500, 'the database is away'))
  await ada.api.createWebhook({ spaceId, url: `${receiver.url}/callbacks` })
  await signInTo(page, lectern, ada)
  const open = (path: string) => page.goto(`${lectern.url}/spaces/${spaceId}${path}`)
  const host = await enter(ada.api, at)
  const sofia = await enterAsGuest(lectern, ada, at, 'Софья Ковалевская', 'pupil7')
  await expect.poll(async () => (await ada.api.getLiveCall(at)).participants.length).toBe(2)
  const room = `/rooms/${lesson.alias}`
  const name = 'Алгебра, первый урок'
  await open(room)
  await shootPage(page, name, 'ru-console-room')
  await ada.api.updateRoom({ ...at, isLocked: true })
  await page.reload()
  await expect(page.getByText(say('room.locked'))).toBeVisible()
  await shootPage(page, name, 'ru-console-room-locked')
  for (const tab of ['people', 'permissions', 'calls']) {
    await open(`${room}/${tab}`)
    await shootPage(page, name, `ru-console-room-${tab}`)
  }
  await open('/webhook')
  await shootPage(page, say('webhook.title'), 'ru-console-webhook')
  for (const { room } of [sofia, host]) await room.disconnect()
  const { id: callId } = (await ada.api.listSpaceCalls({ spaceId })).items[0] ?? { id: '' }
  await ada.api.endCall(at).catch(() => {})
  await open(`${room}/calls/${callId}`)
  await shootPage(page, name, 'ru-console-attendance')
  await open('/calls')
  await shootPage(page, say('calls.title'), 'ru-console-calls')
  await open('/people')
  await shootPage(page, say('people.title'), 'ru-console-people')
  await ada.api.setSpaceLogo({ spaceId, file: new Blob([PIXEL], { type: 'image/png' }) })
  await open('/settings')
  await shootPage(page, say('space.settings'), 'ru-console-settings')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: say('jump.title') }).fill('алг')
  await expect(page.getByRole('option', { name: /Алгебра/ })).toBeVisible()
  await shootDialog(page, 'ru-console-jump')
  receiver.close()
})

test('tokens, and the states of a webhook', async ({ lectern, page }) => {
  const ada = await newTeacher(lectern, 'Ада Лавлейс')
  const { spaceId } = await makeSchool(ada.api)
  const receiver = await startReceiver()
  await ada.api.createWebhook({ spaceId, url: `${receiver.url}/callbacks` })
  await ada.api.setWebhookEvents({ spaceId, events: ['room_created'] })
  await signInTo(page, lectern, ada)
  await page.goto(`${lectern.url}/tokens`)
  await shootPage(page, say('tokens.title'), 'ru-console-tokens-none')
  await ada.api.createPersonalToken({ name: 'Школьный сервер', scopes: ['rooms:write', 'links:write', 'calls:read'] })
  await ada.api.createPersonalToken({ name: 'Выгрузка посещаемости', expiresAt: '2030-01-31T09:30:00.000Z' })
  await page.reload()
  await shootPage(page, say('tokens.title'), 'ru-console-tokens')
  await button(page, 'tokens.create').click()
  await shootDialog(page, 'ru-console-tokens-new')

  const webhook = `${lectern.url}/spaces/${spaceId}/webhook`
  const state = async () => (await ada.api.getWebhookHealth({ spaceId })).failingSince
  await ada.api.createRooms({ spaceId, name: 'Геометрия' })
  await expect.poll(async () => (await ada.api.getWebhookHealth({ spaceId })).lastSuccessAt).not.toBeNull()
  await page.goto(webhook)
  await shootPage(page, say('webhook.title'), 'ru-console-webhook-ok')
  receiver.on('/callbacks', status(500, 'the database is away'))
  await ada.api.createRooms({ spaceId, name: 'Физика' })
  await expect.poll(state).not.toBeNull()
  await page.reload()
  await shootPage(page, say('webhook.title'), 'ru-console-webhook-retrying')
  await expect.poll(async () => (await ada.api.getWebhookHealth({ spaceId })).retrying).toBeNull()
  await page.reload()
  await shootPage(page, say('webhook.title'), 'ru-console-webhook-failing')
  receiver.close()
})
