import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startForThisTest } from '../../support/lectern.ts'

test('the pages come with a policy of their own, and only the room may be framed', async () => {
  const lectern = await startForThisTest({ LECTERN_EMBED_ORIGINS: 'https://school.example' })
  const policyOf = async (path: string) => {
    const { status, headers } = await lectern.request('GET', path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    return headers.get('content-security-policy') ?? ''
  }
  for (const path of ['/', '/sign-in', '/invite', '/spaces/any/rooms/any', '/operator/users'])
    expect(await policyOf(path)).toMatch(/script-src 'self';.*frame-ancestors 'none'$/)
  expect(await policyOf('/room/abc-defg-hjk')).toMatch(
    /script-src 'self';.*frame-ancestors 'self' https:\/\/school.example$/,
  )
})

test('what they load is kept for a year by its name, and what is not there is not kept at all', async () => {
  const lectern = await startForThisTest()
  const [script = ''] = readdirSync('web/dist/assets').filter(name => name.endsWith('.js'))
  const got = await fetch(`${lectern.url}/assets/${script}`, { headers: { 'accept-encoding': 'gzip' } })
  expect(got.status).toBe(200)
  expect(got.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(got.headers.get('content-encoding')).toBe('gzip')
  for (const name of ['none.js', '../console.html', '..%2f..%2f..%2fpackage.json', `${script}.gz`]) {
    const missing = await lectern.request('GET', `/assets/${name}`)
    expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-store'])
  }
})

test('whoever opens an address that is nothing gets the console, which says so; a program gets an error', async () => {
  const lectern = await startForThisTest()
  const get = (path: string, accept: string) => fetch(lectern.url + path, { headers: { accept } })
  const page = await get('/spaecs', 'text/html,application/xhtml+xml,*/*;q=0.8')
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(page.headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'$/)
  for (const [path, accept] of [
    ['/spaecs', '*/*'],
    ['/v1/spaecs', 'text/html'],
  ] as const) {
    const refusal = await get(path, accept)
    expect([refusal.status, ((await refusal.json()) as { code: string }).code]).toEqual([404, 'not_found'])
  }
})
