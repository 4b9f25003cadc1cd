import en from '../../web/messages/en/room.ts'
import ru from '../../web/messages/ru/room.ts'
import { expect } from './support/lectern.ts'
import { recordingsIn } from './support/recordings.ts'
import { makeRoom, signIn, test } from './support/room.ts'
import { shoot, shootDialog, shootPage } from './support/shots.ts'
import { streamsIn } from './support/streams.ts'

test.use({ environment: { LECTERN_CHROMIUM: '/nowhere' }, actionTimeout: 30_000 })

const languages = [
  { locale: 'en-GB', texts: en, prefix: '', roomName: 'Algebra' },
  { locale: 'ru-RU', texts: ru, prefix: 'ru-', roomName: 'Алгебра, первый урок' },
]

for (const { locale, texts, prefix, roomName } of languages)
  test.describe(locale, () => {
    test.use({ locale })
    test('live streams, in the room, on the live page and in the console', async ({ lectern, page, person }) => {
      const room = await makeRoom(lectern, { name: roomName })
      const [streams, recordings] = [streamsIn(lectern, room), recordingsIn(lectern, room)]
      const button = (of: typeof page, key: keyof typeof en) =>
        of.getByRole('button', { name: texts[key], exact: true })
      const inHeader = (key: keyof typeof en) => page.locator('header').getByText(texts[key], { exact: true })
      await signIn(page, lectern)
      await page.goto(room.address)
      await button(page, 'lobby.join').click()
      await expect(page.locator('main[data-state="connected"]')).toBeVisible()
      const viewer = (await person({ locale })).page
      await viewer.goto((await room.link(undefined, { isPermanent: true })).replace('?', '/live?'))
      await viewer.getByRole('textbox').fill('Grace Hopper')
      await shoot(viewer, `${prefix}watch-door`)
      await button(viewer, 'watch.watch').click()
      await expect(viewer.locator('[data-state="not_live"]')).toBeVisible()
      await shoot(viewer, `${prefix}watch-not-live`)
      await button(page, 'live.control.host').click()
      await shoot(page, `${prefix}room-stream-off`)
      await button(page, 'live.stream.start').click()
      await page.getByRole('dialog').getByRole('textbox').fill('rtmps://live.example.com/app/secret-key')
      await shootDialog(page, `${prefix}room-stream-ask`)
      await page.keyboard.press('Escape')

      const id = await streams.start({ targetHost: 'live.example.com', targetState: 'connecting' })
      await expect(inHeader('live.stream.starting')).toBeVisible()
      await shoot(page, `${prefix}room-stream-starting`)
      await recordings.start({ state: 'recording', startedAt: Date.now() - 65_000, size: 34_500_000 })
      await streams.goLive(id, 20, { targetState: 'live', startedAt: Date.now() - 65_000 })
      await expect(inHeader('live.stream.on')).toBeVisible()
      await shoot(page, `${prefix}room-stream-live`)
      await button(page, 'live.stream.invite').click()
      await button(page, 'invite.many').click()
      await shootDialog(page, `${prefix}room-stream-invite`)
      await page.keyboard.press('Escape')
      await streams.change(id, { targetState: 'retrying' })
      await expect(
        page.getByText(texts['live.stream.target.retrying'].replace('{{host}}', 'live.example.com')),
      ).toBeVisible()
      await shoot(page, `${prefix}room-stream-retrying`)
      await expect
        .poll(() => viewer.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime))
        .toBeGreaterThan(0)
      await shoot(viewer, `${prefix}watch-live`)
      await viewer.keyboard.press('k')
      await streams.goLive(id, 30)
      await expect(button(viewer, 'watch.toLive')).toBeVisible()
      await shoot(viewer, `${prefix}watch-paused`)
      const late = (await person({ locale })).page
      await late.goto(await room.link('Ada Lovelace'))
      await expect(late.getByText(texts['lobby.streamed'])).toBeVisible()
      await shoot(late, `${prefix}room-lobby-streamed`)
      await streams.end(id)
      await viewer.keyboard.press('k')
      await expect(viewer.locator('[data-state="ended"]')).toBeVisible({ timeout: 60_000 })
      await shoot(viewer, `${prefix}watch-ended`)
      const console_ = await page.context().newPage()
      await console_.goto(`${lectern.url}/spaces/${room.spaceId}/rooms/${room.alias}`)
      await shootPage(console_, roomName, `${prefix}console-room-live-page`)
    })
  })
