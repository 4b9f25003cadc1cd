import type { Locator, Page } from '@playwright/test'
import { freePort } from '../support/ports.ts'
import { type Receiver, startReceiver, status } from '../support/receiver.ts'
import { admit, newPerson, type Person, signInTo } from './support/console.ts'
import { expectFitOnPhone } from './support/fit.ts'
import { expect, type Installation, OPERATOR, untilNoticed } from './support/lectern.ts'
import { makePages, operatorsPages } from './support/pages.ts'
import { makeRoom, test, withDevicesOff } from './support/room.ts'
import { latinSentence, say } from './support/russian.ts'

/* Whoever reads Russian reads nothing else: on every page, and whatever goes wrong. Its longer words fit a phone. */

test.use({ locale: 'ru-RU', actionTimeout: 10_000, environment: { LECTERN_WEBHOOK_SCHEDULE: '0,0,0' } })

/** Names that people and browsers have given. */
const data = [/which is long in any language of the world/g, /Fake [\w ]+/g]

/** All that can be read, or heard, on the page; what is code is nobody's language. */
const readAll = (page: Page) =>
  page.evaluate(() => {
    const isCode = (element: Element | null) => element?.closest('pre, code, script, style') != null
    const found = [document.title]
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!isCode(node.parentElement) && node.parentElement?.checkVisibility()) found.push(node.textContent ?? '')
    for (const name of ['aria-label', 'aria-description', 'placeholder', 'alt', 'title'])
      for (const element of document.body.querySelectorAll(`[${name}]`))
        if (!isCode(element)) found.push(element.getAttribute(name) ?? '')
    return found
  })

const expectRussian = async (page: Page, what = page.url()) => {
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru')
  await untilNoticed(page)
  const read = (await readAll(page)).map(text => data.reduce((rest, known) => rest.replace(known, ''), text))
  expect(read.join(''), what).toMatch(/[а-яё]{3}/i)
  expect(
    read.filter(text => latinSentence.test(text)),
    what,
  ).toEqual([])
}

const button = (within: Page | Locator, key: string, name?: string) =>
  within.getByRole('button', { name: say(key, name), exact: true })
/** By its name in the contract. */
const field = (within: Page | Locator, name: string) => within.locator(`input[name="${name}"]:visible`)
const dialog = (page: Page) => page.getByRole('dialog')

/** What was sent is refused: at a field, or below. */
const expectRefused = async (page: Page, words: string) => {
  await expect(page.getByText(words, { exact: true }).first()).toBeVisible()
  await expectRussian(page, words)
}

/** Sends the form that the button belongs to; it is refused in these words. */
const refuse = async (page: Page, within: Page | Locator, submit: string, words: string) => {
  await button(within, submit).click()
  await expectRefused(page, say(words))
}

/** Nothing is on its way any more. */
const open = async (page: Page, { url }: Installation, path: string) => {
  await page.goto(url + path)
  await expect(page.locator('h1')).toBeVisible()
  await expect(page.locator('.mantine-Skeleton-root, .mantine-Loader-root')).toHaveCount(0)
}

const walk = async (page: Page, lectern: Installation, paths: string[]) => {
  for (const path of paths) {
    await open(page, lectern, path)
    await expectRussian(page)
    await expectFitOnPhone(page)
  }
}

const tooManyFailures = (page: Page, { url }: Installation, username: string) =>
  Promise.all(
    Array.from({ length: 10 }, () =>
      page.request.post(`${url}/v1/auth/session`, {
        headers: { origin: new URL(url).origin },
        data: { username, password: 'a guess' },
      }),
    ),
  )

test('at the door of the console', async ({ page, lectern }) => {
  const person = await newPerson(lectern)
  await open(page, lectern, '/sign-in')
  await expectRussian(page)
  await field(page, 'username').fill('nobody')
  await field(page, 'password').fill('a guess')
  await refuse(page, page, 'signIn.submit', 'error.credentials_invalid')
  await tooManyFailures(page, lectern, 'nobody')
  await button(page, 'signIn.submit').click()
  await expect(page.getByRole('alert')).toContainText(say('error.rate_limited_long_many').split('.')[0] ?? '')
  await expectRussian(page)
  await page.route('**/v1/auth/session', route => route.abort())
  await refuse(page, page, 'signIn.submit', 'error.network')
  await page.unroute('**/v1/auth/session')

  await open(page, lectern, '/invite')
  await expectRussian(page)
  const { id: spaceId } = await lectern.operator.createSpaces({ name: 'Школа' })
  const { id: inviteId } = await lectern.operator.createInvite({ spaceId, role: 'role_space_user' })
  // Another fragment alone would not load the page anew.
  await page.goto('about:blank')
  await open(page, lectern, `/invite#${spaceId}/${inviteId}`)
  await expectRussian(page)
  await refuse(page, page, 'invite.register', 'field.required')
  await field(page, 'email').fill(`${person.username}@example.com`)
  await field(page, 'username').fill('new')
  await field(page, 'password').fill('a good password')
  await refuse(page, page, 'invite.register', 'error.email_taken')
  await person.api.activateInvite({ spaceId, inviteId })
  await signInTo(page, lectern, person)
  await page.reload()
  await expectRefused(page, say('error.invite_used'))
})

let receiver: Receiver
test.beforeAll(async () => {
  receiver = await startReceiver()
})
test.afterAll(() => receiver.close())

/** A webhook with deliveries that failed in two ways. */
const makeFailures = async ({ api }: Person, spaceId: string) => {
  const send = async () => {
    const { id: deliveryId } = await api.testWebhook({ spaceId })
    await expect.poll(async () => (await api.getDelivery({ spaceId, deliveryId })).state).toBe('failed')
    return `/spaces/${spaceId}/webhook/deliveries/${deliveryId}`
  }
  receiver.on('/', status(500, 'the database is away'))
  await api.createWebhook({ spaceId, url: receiver.url })
  const refused = await send()
  await api.updateWebhook({ spaceId, url: `http://127.0.0.1:${await freePort()}/`, isActive: true })
  return [refused, await send()]
}

test('in the console of an owner, mistakes included', { tag: '@long' }, async ({ page, lectern }) => {
  const owner = await newPerson(lectern)
  const pages = Object.keys(await makePages(owner.api))
  const [, rooms = '', room = '', people = '', settings = ''] = pages
  const spaceId = rooms.split('/')[2] ?? ''
  await admit(owner.api, spaceId, await newPerson(lectern))
  await signInTo(page, lectern, owner)
  await walk(page, lectern, [...pages, `${rooms}/calls`, `${room}/calls`, `${rooms}/webhook`])

  await test.step('a webhook and its failures', async () => {
    await field(page, 'url').fill('nowhere')
    await refuse(page, page, 'webhook.create', 'field.url')
    const failures = await makeFailures(owner, spaceId)
    await walk(page, lectern, [`${rooms}/webhook`, ...failures])
    await expect(page.getByText(say('delivery.reason.connection_refused')).first()).toBeVisible()
  })

  await test.step('every form', async () => {
    await open(page, lectern, '/spaces')
    await button(page, 'spaces.create').click()
    await refuse(page, dialog(page), 'spaces.create.submit', 'field.required')
    await field(dialog(page), 'name').fill('Школа')
    await field(dialog(page), 'logo').fill('nowhere')
    await refuse(page, dialog(page), 'spaces.create.submit', 'field.url')

    await open(page, lectern, rooms)
    await button(page, 'rooms.create').click()
    await refuse(page, dialog(page), 'rooms.create.submit', 'field.required')

    await open(page, lectern, `${room}/people`)
    await button(page, 'links.create').click()
    await field(dialog(page), 'externalUserId').fill('ученик')
    await refuse(page, dialog(page), 'links.create.submit', 'field.pattern')
    await open(page, lectern, `${room}/people`)
    await button(page, 'roles.grant').click()
    await refuse(page, dialog(page), 'roles.grant.submit', 'field.required')
    await dialog(page).getByText(say('roles.byId'), { exact: true }).click()
    await field(dialog(page), 'targetUserId').fill('nobody')
    await refuse(page, dialog(page), 'roles.grant.submit', 'field.pattern')
    await field(dialog(page), 'targetUserId').fill('0199f0a2-6c1e-7d3a-9b1f-2f6f3c7f9d10')
    await refuse(page, dialog(page), 'roles.grant.submit', 'error.not_found')

    await open(page, lectern, people)
    await button(page, 'invites.create').click()
    await expectRussian(page, 'a new invite')

    await open(page, lectern, settings)
    await button(page, 'space.transfer.action').click()
    await refuse(page, dialog(page), 'space.transfer.submit', 'field.required')

    await open(page, lectern, '/account')
    await field(page, 'email').fill('')
    await refuse(page, page, 'save', 'field.required')
    await field(page, 'email').fill('nobody')
    await refuse(page, page, 'save', 'field.email')
    await field(page, 'email').fill(OPERATOR.email)
    await refuse(page, page, 'save', 'error.email_taken')
    await field(page, 'username').fill('somebody@else.example')
    await refuse(page, page, 'save', 'field.at_sign')
    await field(page, 'currentPassword').fill('a guess')
    await field(page, 'newPassword').fill('a good password')
    await refuse(page, page, 'account.password.submit', 'field.incorrect')
    await field(page, 'newPassword').fill('short')
    await button(page, 'account.password.submit').click()
    await expectRefused(page, say('field.too_short_many').replace('{{count}}', '8'))

    await open(page, lectern, '/clients')
    await button(page, 'clients.create').click()
    await refuse(page, dialog(page), 'clients.create.submit', 'field.required')
  })

  await test.step('a service that does not answer as it should', async () => {
    await button(dialog(page), 'cancel').click()
    for (const [code, httpStatus, words] of [
      ['unavailable', 503, 'error.unavailable'],
      ['internal', 500, 'error.internal'],
      ['something_new', 418, 'error.unknown'],
    ] as const) {
      const json = { code, detail: 'In the words of the service.', status: httpStatus }
      await page.route('**/v1/clients', route => route.fulfill({ status: httpStatus, json }))
      await button(page, 'clients.create').click()
      await field(dialog(page), 'name').fill('Школа')
      await refuse(page, dialog(page), 'clients.create.submit', words)
      await button(dialog(page), 'cancel').click()
      await page.unroute('**/v1/clients')
    }
  })
})

test('for who loses their rights with the page open', { tag: '@long' }, async ({ page, lectern }) => {
  const owner = await newPerson(lectern)
  const moderator = await newPerson(lectern)
  const { id: spaceId } = await owner.api.createSpaces({ name: 'Школа', isPublic: true })
  await admit(owner.api, spaceId, moderator, 'role_space_moderator')
  await signInTo(page, lectern, moderator)
  await open(page, lectern, `/spaces/${spaceId}`)
  await button(page, 'rooms.create').first().click()
  await field(dialog(page), 'name').fill('Моя')
  await owner.api.removeMember({ spaceId, userId: moderator.id })
  await refuse(page, dialog(page), 'rooms.create.submit', 'rule.mayCreateRooms')
  await walk(page, lectern, [`/spaces/${spaceId}`, `/spaces/${spaceId}/settings`, `/spaces/${spaceId}/webhook`])
})

test('in the console of the operator, mistakes included', { tag: '@long' }, async ({ page, lectern }) => {
  const owner = await newPerson(lectern)
  await owner.api.createSpaces({ name: 'Школа' })
  await signInTo(page, lectern, { username: OPERATOR.email, password: OPERATOR.password })
  await walk(page, lectern, Object.keys(operatorsPages))
  const status = await lectern.operator.getStatus()
  for (const [media, mediaPercent] of [
    ['downloading'],
    ['preparing', 40],
    ['starting'],
    ['failed'],
    ['off'],
  ] as const) {
    const json = { ...status, media: { status: media, percent: mediaPercent ?? null } }
    await page.route('**/v1/status', route => route.fulfill({ json }))
    await walk(page, lectern, ['/operator/state'])
    await page.unroute('**/v1/status')
  }
  await open(page, lectern, '/operator/users')
  await button(page, 'users.create').click()
  await refuse(page, dialog(page), 'users.create.submit', 'field.required')
  await field(dialog(page), 'email').fill('new@example.com')
  await field(dialog(page), 'username').fill(owner.username)
  await refuse(page, dialog(page), 'users.create.submit', 'error.username_taken')
  await button(dialog(page), 'cancel').click()
  await button(page, 'delete.named', owner.username).click()
  await refuse(page, dialog(page), 'delete', 'error.owns_spaces')
})

test('at the door of a room, whatever keeps it closed', { tag: '@long' }, async ({ page, lectern }) => {
  const { link, address } = await makeRoom(lectern, { name: 'Алгебра' })
  const title = (reason: string) => page.getByRole('heading', { level: 1, name: say(`closed.${reason}.title`) })
  await page.goto(address)
  await expect(title('private')).toBeVisible()
  await expectRussian(page)
  for (const [reason, code, httpStatus] of [
    ['link_used', 'link_used', 410],
    ['link_expired', 'link_expired', 410],
    ['link_revoked', 'link_revoked', 410],
    ['link_unknown', 'invalid_request', 400],
    ['removed', 'removed', 403],
    ['private', 'not_allowed', 403],
    ['access_ended', 'token_invalid', 401],
    ['media_off', 'media_off', 503],
    ['busy', 'unavailable', 503],
    ['busy', 'rate_limited', 429],
  ] as const) {
    const json = { code, detail: 'In the words of the service.', status: httpStatus }
    await page.route('**/v1/access/inspect', route => route.fulfill({ status: httpStatus, json }))
    await page.goto(await link('София'))
    await expect(title(reason)).toBeVisible()
    await expectRussian(page, reason)
    await page.unroute('**/v1/access/inspect')
  }
  for (const [media, mediaPercent] of [['downloading'], ['preparing', 40], ['starting']] as const) {
    const json = { status: 'ready', database: 'ready', media, mediaPercent: mediaPercent ?? null }
    await page.route('**/readyz', route => route.fulfill({ json }))
    await page.goto(await link())
    await expect(page.getByRole('status').filter({ hasText: say('lobby.media.hint') })).toBeVisible()
    await button(page, 'lobby.join').click()
    await expectRefused(page, say('lobby.nameMissing'))
    await page.unroute('**/readyz')
  }
})

test('in a room, and out of it', { tag: '@long' }, async ({ page, lectern }) => {
  const { address } = await makeRoom(lectern, { name: 'Алгебра' })
  await signInTo(page, lectern, { username: OPERATOR.email, password: OPERATOR.password })
  await withDevicesOff(page)
  await page.goto(address)
  await button(page, 'lobby.join').click()
  await expect(page.locator('main[data-state="connected"]')).toBeVisible()
  await expectRussian(page, 'in the room')
  const control = (key: string) =>
    page
      .getByRole('navigation', { name: say('live.controls') })
      .getByRole('button', { name: say(`live.control.${key}`), exact: true })
  await control('people').click()
  await expectRussian(page, 'people')
  await control('chat').click()
  const message = page.getByLabel(say('chat.write'))
  for (const [code, httpStatus, words] of [
    ['rate_limited', 429, 'chat.tooFast'],
    ['chat_off', 403, 'chat.off'],
    ['removed', 403, 'error.removed'],
    ['not_allowed', 403, 'error.not_allowed'],
    ['not_found', 404, 'error.not_found'],
    ['unavailable', 503, 'error.unavailable'],
  ] as const) {
    const json = { code, detail: 'In the words of the service.', status: httpStatus }
    await page.route('**/messages', route => route.fulfill({ status: httpStatus, json }))
    await message.fill('Добрый вечер')
    await message.press('Enter')
    await expect(page.getByRole('status').filter({ hasText: say(words) })).toBeVisible()
    await expectRussian(page, code)
    await page.unroute('**/messages')
  }
  await control('more').click()
  await expectRussian(page, 'more')
  await page.keyboard.press('Escape')
  await control('leave').click()
  await page.getByRole('menuitem', { name: say('live.leaveOnly') }).click()
  await expect(page.getByRole('heading', { level: 1, name: say('ended.left.title') })).toBeVisible()
  await expectRussian(page, 'out of the room')
})
