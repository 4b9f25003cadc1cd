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
