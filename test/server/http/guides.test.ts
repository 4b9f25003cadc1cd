import { beforeAll, expect, test } from 'vitest'
import { errorCodes } from '../../../contract/errors.ts'
import { events } from '../../../contract/events.ts'
import type { Operation } from '../../../contract/operation.ts'
import { operations } from '../../../contract/operations.ts'
import { type Lectern, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
/** By the path of its page. */
const pages = new Map<string, string>()

const get = async (path: string) => {
  const response = await fetch(lectern.url + path)
  return { status: response.status, headers: response.headers, text: await response.text(), url: response.url }
}

beforeAll(async () => {
  lectern = await startLectern()
  const { text } = await get('/docs/guides')
  for (const [, path = ''] of text.matchAll(/href="(\/docs\/guides\/[\w-]+)"/g)) pages.set(path, (await get(path)).text)
})

test('there is a page for each, which the reference leads to', async () => {
  expect((await get('/docs')).text).toContain('href="/docs/guides"')
  expect([...pages.keys()].map(path => path.split('/').at(-1))).toEqual([
    'first-call',
    'tokens',
    'members',
    'guest-links',
    'embedding',
    'live-streams',
    'webhooks',
    'errors',
    'paging',
    'versioning',
  ])
  for (const [path, page] of pages) {
    const [, title] = /<title>(.*) – Lectern guides<\/title>/.exec(page) ?? []
    expect(page).toContain(`>${title}</h1>`)
    expect(page).toContain(`<a href="${path}" aria-current="page">${title}</a>`)
  }
  expect((await get('/docs/guides/constructor')).status).toBe(404)
})

test('they load nothing from elsewhere, and no script', async () => {
  const { headers, text } = await get('/docs/guides/tokens')
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/)
  expect([...text.matchAll(/(?:src|rel="stylesheet" href)="(.*?)"/g)].map(([, url]) => url)).toEqual([
    '/docs/guides.css',
  ])
  expect((await get('/docs/guides.css')).headers.get('content-type')).toBe('text/css; charset=utf-8')
})

test('what they link to is there', async () => {
  const links = new Set(
    [...pages.values()].flatMap(page => [...page.matchAll(/href="([^"]+)"/g)].map(([, url = '']) => url)),
  )
  for (const link of links) {
    if (link.startsWith('https://')) continue
    const { status, text } = await get(link)
    expect([link, status]).toEqual([link, 200])
    const [, anchor] = link.split('#')
    if (anchor) expect(text).toContain(`id="${anchor}"`)
  }
})

test('operations, paths and codes that they name are those of the API', () => {
  const paths = Object.values(operations).map(
    ({ method, path }: Operation) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  )
  for (const [page, html] of pages) {
    const code = [...html.matchAll(/<code>(.*?)<\/code>/g)].map(([, text = '']) => text)
    const named = code.filter(text => /^(GET|POST|PUT|PATCH|DELETE) /.test(text)).map(text => text.replace(/\?.*/, ''))
    const unknown = named.filter(text => {
      const [method, path = ''] = text.split(' ')
      return !paths.some(each => each.startsWith(`${method} `) && each.endsWith(path.replace('…', '')))
    })
    expect([page, unknown]).toEqual([page, []])
    const refusals = [...html.matchAll(/\b([45]\d\d) <code>(\w+)<\/code>/g)]
    for (const [, status, name = ''] of refusals)
      expect([page, name, errorCodes[name as keyof typeof errorCodes]?.[0]]).toEqual([page, name, Number(status)])
  }
  const webhooks = pages.get('/docs/guides/webhooks') ?? ''
  for (const [name, { properties }] of Object.entries(events)) {
    const [, body = ''] =
      new RegExp(`<h3 id="${name}">.*?<code class="language-json">(.*?)</code>`, 's').exec(webhooks) ?? []
    const shown = JSON.parse(body.replaceAll('&quot;', '"'))
    // Each field, and nobody is a user and a guest at once.
    expect([name, ...Object.keys(shown)]).toEqual([name, ...Object.keys(properties)])
    expect('externalUserId' in shown && shown.userId, name).toBeFalsy()
  }
  for (const name of Object.keys(errorCodes)) expect(pages.get('/docs/guides/errors')).toContain(`<code>${name}</code>`)
})
