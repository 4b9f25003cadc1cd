import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Lectern, startLectern } from '../../support/lectern.ts'

test('the pages come with a policy of their own, and only the room may be framed', async () => {
  const lectern = await startLectern({ LECTERN_EMBED_ORIGINS: 'https://school.example' })
  const policyOf = async (path: string) => {
    const { status, headers } = await lectern.request('GET', path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    return headers.get('content-security-policy') ?? ''
  }
  for (const path of ['/', '/sign-in', '/invite', '/spaces/any/rooms/any', '/operator/users'])
    expect(await policyOf(path)).toMatch(/script-src 'self';.*frame-ancestors 'none'$/)
  expect(await policyOf('/room/abc-defg-hjk')).toMatch(
    /script-src 'self' 'wasm-unsafe-eval';.*frame-ancestors 'self' https:\/\/school.example$/,
  )
})

test.each([
  ['turnstile', 'https://challenges.cloudflare.com'],
  ['hcaptcha', 'https://hcaptcha.com https://*.hcaptcha.com'],
  [
    'recaptcha',
    'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
  ],
])('the console lets in the widget of %s where it is the captcha, and nothing else does', async (provider, sources) => {
  const get = async (lectern: Lectern, path: string) => {
    const { headers, body } = await lectern.request('GET', path)
    const directives = (headers.get('content-security-policy') ?? '').split('; ').map(text => text.split(' '))
    const policy = Object.fromEntries(directives.map(([name = '', ...values]) => [name, values.join(' ')]))
    return { policy, body: body as string }
  }
  const [guarded, open] = [
    await startLectern({
      LECTERN_CAPTCHA_PROVIDER: provider,
      LECTERN_CAPTCHA_SITE_KEY: 'site-key_1',
      LECTERN_CAPTCHA_SECRET: 'a captcha secret',
    }),
    await startLectern(),
  ]
  for (const path of ['/sign-in', '/invite', '/operator/users']) {
    const { policy, body } = await get(guarded, path)
    const plain = await get(open, path)
    expect(policy).toEqual({
      ...plain.policy,
      'script-src': `'self' ${sources}`,
      'style-src': `'self' 'unsafe-inline' ${sources}`,
      'connect-src': `'self' ${guarded.url.replace('http', 'ws')} ${sources}`,
      'frame-src': sources,
    })
    expect(plain.policy['frame-src']).toBe("'none'")
    expect(body).toContain(`<meta name="captcha" content="${provider} site-key_1"`)
    expect(body).not.toContain('a captcha secret')
    expect(plain.body).toContain('<meta name="captcha" content=""')
  }
  // The room has no form that asks for one.
  const room = await get(guarded, '/room/abc-defg-hjk')
  expect(room.policy).toMatchObject({ 'script-src': "'self' 'wasm-unsafe-eval'", 'frame-src': "'none'" })
  expect(room.body).not.toContain('site-key_1')
})

test('what they load is kept for a year by its name, and what is not there is not kept at all', async () => {
  const lectern = await startLectern()
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
  const lectern = await startLectern()
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
