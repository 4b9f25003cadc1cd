import type { Browser, Page } from '@playwright/test'
import { type Client, createClient } from '../../../client/client.ts'
import type { InviteRole } from '../../../contract/invites.ts'
import { expect, type Installation } from './lectern.ts'

export interface Person {
  id: string
  username: string
  password: string
  /** The interface, signed in as them. */
  api: Client
}

let people = 0

/** Someone with an account, who is not the operator. */
export const newPerson = async ({ url, operator }: Installation, name = 'person'): Promise<Person> => {
  const username = `${name}${++people}-${process.pid}`
  const password = `password of ${username}`
  const { id } = await operator.createUser({ email: `${username}@example.com`, username, password })
  const api = createClient({ baseUrl: url })
  await api.signIn(username, password)
  return { id, username, password, api }
}

/** Lets somebody into the space. */
export const admit = async (
  owner: Client,
  spaceId: string,
  { api }: Pick<Person, 'api'>,
  role: InviteRole = 'role_space_user',
) => {
  const { id: inviteId } = await owner.createInvite({ spaceId, role })
  await api.activateInvite({ spaceId, inviteId })
}

/** A page that is signed in, without the form. */
export const signInTo = async (
  page: Page,
  { url }: Installation,
  { username, password }: Omit<Person, 'id' | 'api'>,
) => {
  const response = await page.request.post(`${url}/v1/auth/session`, {
    headers: { origin: new URL(url).origin },
    data: { username, password },
  })
  expect(response.status()).toBe(200)
}

/** A page of the console, as this person sees it. */
export const openAs = async (page: Page, lectern: Installation, person: Omit<Person, 'id' | 'api'>, path: string) => {
  await signInTo(page, lectern, person)
  await page.goto(`${lectern.url}${path}`)
}

/** Neither the access token nor the refresh token is good any more. */
export const expectSignedOut = (api: Client) => expect(api.getMe()).rejects.toMatchObject({ code: 'invalid_grant' })

/** Someone else's browser. */
export const anotherPage = async (browser: Browser) => (await browser.newContext()).newPage()

export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

/** The row of a table that has this text in it. */
export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

export const expectNoOverflow = async (page: Page) => {
  const { scroll, client } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return { scroll: scrollWidth, client: clientWidth }
  })
  expect(scroll, `${page.url()} is wider than the screen`).toBeLessThanOrEqual(client)
}
