import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isOneNode, type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import { freePort } from '../../support/ports.ts'

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

type Answer = Awaited<ReturnType<Lectern['request']>>

const expectRateLimited = (answer: Answer, policy: string) => {
  expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited'])
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  const seconds = Number(answer.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(answer.headers.get('ratelimit')).toBe(`"${policy}";r=0;t=${seconds}`)
}

describe('request limits', () => {
  test('are told with every answer', async () => {
    const lectern = await startLectern({ LECTERN_RATE_LIMITS: 'on' })
    const left = async () => {
      const { headers } = await lectern.request('GET', '/v1/users/me', { token: lectern.operator.token })
      expect(headers.get('ratelimit-policy')).toBe('"token";q=6000;w=60')
      const [, remaining, seconds] = /^"token";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? []
      expect(Number(seconds)).toBeLessThanOrEqual(60)
      return Number(remaining)
    }
    const before = await left()
    expect(before).toBeLessThan(6000)
    expect(await left()).toBe(before - 1)
    const anonymous = await lectern.request('GET', '/v1/users/me')
    expect(anonymous.status).toBe(401)
    expect(anonymous.headers.get('ratelimit-policy')).toBe('"address";q=1200;w=60')
  })

  test.runIf(isOneNode)(
    '1200 a minute for an address; tokens, other addresses and monitors are not held back by it',
    async () => {
      const lectern = await startLectern({ LECTERN_RATE_LIMITS: 'on' })
      const inspect = (headers: Record<string, string> = {}) =>
        lectern.request('POST', '/v1/access/inspect', { headers, body: { accessToken: 'x' } })
      const statuses: number[] = []
      for (let sent = 0; sent < 1300; sent += 100)
        // Nobody here is trusted to say where a request comes from.
        for (const { status } of await Promise.all(
          times(100, index => inspect({ 'x-forwarded-for': `10.0.0.${index}` })),
        ))
          statuses.push(status)
      // The sign-in of the operator came from here as well.
      expect(statuses.filter(status => status === 404).length).toBeOneOf([1198, 1199])
      expect(new Set(statuses)).toEqual(new Set([404, 429]))
      expectRateLimited(await inspect(), 'address')
      // A token that is not genuine buys nothing.
      const forged = await lectern.request('GET', '/v1/users/me', { token: 'forged' })
      expectRateLimited(forged, 'address')

      expect((await lectern.request('GET', '/v1/users/me', { token: lectern.operator.token })).status).toBe(200)
      for (const path of ['/healthz', '/readyz', '/metrics'])
        expect((await lectern.request('GET', path)).status).toBe(200)
    },
  )

  test.runIf(isOneNode)('count the address a trusted proxy tells', async () => {
    const lectern = await startLectern({ LECTERN_RATE_LIMITS: 'on', LECTERN_TRUSTED_PROXIES: '127.0.0.1,::1' })
    const left = async (address: string) => {
      const { headers } = await lectern.request('GET', '/v1/users/me', { headers: { 'x-forwarded-for': address } })
      return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
    }
    expect(await left('192.0.2.1')).toBe(1199)
    expect(await left('192.0.2.1')).toBe(1198)
    expect(await left('192.0.2.2')).toBe(1199)
    // What a client puts in front of what the proxy adds does not count.
    expect(await left('203.0.113.9, 192.0.2.1')).toBe(1197)
  })

  test('off means off', async () => {
    const lectern = await startLectern()
    const { headers } = await lectern.request('GET', '/v1/users/me', { token: lectern.operator.token })
    expect(headers.get('ratelimit')).toBeNull()
    expect(headers.get('ratelimit-policy')).toBeNull()
  })
})

describe('sign-ins that fail', () => {
  // One installation for all: each test comes from an address of its own.
  let lectern: Lectern
  beforeAll(async () => {
    lectern = await startLectern({ LECTERN_RATE_LIMITS: 'on', LECTERN_TRUSTED_PROXIES: '127.0.0.1,::1' })
  })
  const signIn = (username: string, password: string, from: string) =>
    lectern.request('POST', '/v1/auth/token', {
      headers: { 'x-forwarded-for': from },
      body: { grant_type: 'password', username, password },
    })

  test('ten for an account from an address, then not even the right password', async () => {
    const victim = await lectern.user()
    const other = await lectern.user()
    // By either of its names.
    const email = `${victim.username.replaceAll(' ', '.')}@example.com`
    for (let count = 0; count < 10; count++) {
      const { status, body } = await signIn(count % 2 ? email.toUpperCase() : victim.username, 'wrong', '192.0.2.1')
      expect([status, body.error]).toEqual([400, 'invalid_grant'])
    }
    const refused = await signIn(victim.username, victim.password, '192.0.2.1')
    expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
    expect((await signIn(email, victim.password, '192.0.2.1')).status).toBe(429)
    const cookies = await lectern.request('POST', '/v1/auth/session', {
      headers: { 'x-forwarded-for': '192.0.2.1' },
      body: { username: victim.username, password: victim.password },
    })
    expectRateLimited(cookies, 'login')

    expect((await signIn(other.username, other.password, '192.0.2.1')).status).toBe(200)
    expect((await signIn(victim.username, victim.password, '192.0.2.2')).status).toBe(200)
    // Whoever is signed in stays so.
    expect((await victim.getMe()).id).toBe(victim.id)
  })

  test('an account that is not there is treated the same', async () => {
    for (let count = 0; count < 10; count++) expect((await signIn('nobody', 'wrong', '192.0.2.3')).status).toBe(400)
    expect((await signIn('nobody', 'wrong', '192.0.2.3')).status).toBe(429)
  })

  test('a burst gets no further than one after the other', async () => {
    const answers = await Promise.all(times(40, () => signIn('operator', 'wrong', '192.0.2.4')))
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30)
  })

  test('a burst of right ones is let in', async () => {
    const answers = await Promise.all(times(30, () => signIn('operator', lectern.operator.password, '192.0.2.5')))
    expect(answers.map(({ status }) => status)).toEqual(times(30, () => 200))
  })

  test('a success in between starts the count anew', async () => {
    for (let round = 0; round < 2; round++) {
      for (let count = 0; count < 9; count++) expect((await signIn('operator', 'wrong', '192.0.2.6')).status).toBe(400)
      expect((await signIn('operator', lectern.operator.password, '192.0.2.6')).status).toBe(200)
    }
  })

  test.runIf(isOneNode)('past a hundred from an address, people behind it still get in, one at a time', async () => {
    const pupil = await lectern.user()
    const from = '192.0.2.7'
    const guesses = await Promise.all(times(100, index => signIn(`nobody ${index}`, 'wrong', from)))
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([400]))
    const begun = performance.now()
    const answers = await Promise.all([
      ...times(3, index => signIn(`nobody ${index}`, 'wrong', from)),
      signIn(pupil.username, pupil.password, from),
    ])
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 200])
    // Four turns: the last of them begins three seconds after the first. Timers may be a little early.
    expect(performance.now() - begun).toBeGreaterThan(2900)
    // Elsewhere nobody waits for it.
    expect((await signIn(pupil.username, pupil.password, '192.0.2.8')).status).toBe(200)

    // Who has gone holds no place: fifteen would take as many seconds.
    const other = await lectern.user()
    const gone = new AbortController()
    const left = times(15, index =>
      fetch(`${lectern.url}/v1/auth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
        body: JSON.stringify({ grant_type: 'password', username: `gone ${index}`, password: 'wrong' }),
        signal: gone.signal,
      }).catch(() => null),
    )
    await new Promise(resolve => setTimeout(resolve, 500))
    gone.abort()
    await Promise.all(left)
    const asked = performance.now()
    expect((await signIn(other.username, other.password, from)).status).toBe(200)
    expect(performance.now() - asked).toBeLessThan(8000)
  })

  test('a stolen session is no way to guess the password', async () => {
    const change = (currentPassword: string) =>
      lectern.request('PUT', '/v1/users/me/password', {
        token: lectern.operator.token,
        body: { currentPassword, newPassword: 'a new password' },
      })
    const answers = await Promise.all(times(15, () => change('wrong')))
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(10)
    expectRateLimited(await change(lectern.operator.password), 'login')
  })
})

describe('captcha', () => {
  /** A provider whose verdict is in the token. */
  const startProvider = async () => {
    const asked: Record<string, string>[] = []
    const provider = createServer((request, response) => {
      let text = ''
      request.on('data', chunk => {
        text += chunk
      })
      request.on('end', () => {
        const form = Object.fromEntries(new URLSearchParams(text))
        asked.push(form)
        if (form.response === 'cut off') request.socket.destroy()
        else if (form.response === 'html') response.end('<html>')
        else if (form.response === 'moved') response.writeHead(302, { location: '/good' }).end()
        else if (form.response === 'null') response.end('null')
        else if (form.response === 'wrong secret')
          response.end(JSON.stringify({ success: false, 'error-codes': ['invalid-input-secret'] }))
        else response.end(JSON.stringify({ success: form.response === 'good' ? true : 'no' }))
      })
    })
    await new Promise<void>(done => provider.listen(0, '127.0.0.1', done))
    onTestFinished(() => void provider.close())
    return { asked, provider, url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/siteverify` }
  }
  const start = async (more: Record<string, string> = {}) => {
    const provider = await startProvider()
    const lectern = await startLectern({
      LECTERN_CAPTCHA_PROVIDER: 'turnstile',
      LECTERN_CAPTCHA_SITE_KEY: 'site-key',
      LECTERN_CAPTCHA_SECRET: 'the secret',
      LECTERN_CAPTCHA_URL: provider.url,
      ...more,
    })
    return { ...provider, lectern }
  }
  const refused = [
    [undefined, 400, 'captcha_required'],
    ['', 400, 'captcha_required'],
    ['bad', 400, 'captcha_failed'],
    ['null', 400, 'captcha_failed'],
    ['html', 503, 'unavailable'],
    ['moved', 503, 'unavailable'],
    ['cut off', 503, 'unavailable'],
    ['wrong secret', 503, 'unavailable'],
  ] as const

  test('is required, verified with the provider, and accepted, where users are created', async () => {
    const { lectern, asked, provider } = await start()
    const create = (captchaToken: string | undefined) =>
      lectern.request('POST', '/v1/users', {
        token: lectern.operator.token,
        body: { email: 'new@example.com', username: 'new', password: 'password', captchaToken },
      })
    for (const [token, status, code] of refused) {
      const answer = await create(token)
      expect([answer.status, answer.body.code], token).toEqual([status, code])
    }
    expect((await lectern.operator.listUsers()).items).toHaveLength(1)
    expect((await create('good')).status).toBe(200)
    expect(asked.at(-1)).toEqual({
      secret: 'the secret',
      response: 'good',
      remoteip: expect.stringMatching(/127\.0\.0\.1|::1/),
    })
    // The provider is down.
    await new Promise(done => {
      provider.close(done)
      provider.closeAllConnections()
    })
    const down = await create('good')
    expect([down.status, down.body.code]).toEqual([503, 'unavailable'])
    expect(JSON.stringify(down.body)).not.toContain('ECONNREFUSED')
  })

  test('is asked of those who register with an invite, and the invite is kept until then', async () => {
    const { lectern } = await start()
    const { id: spaceId } = await lectern.operator.createSpaces({ name: 'Space' })
    const { id: inviteId } = await lectern.operator.createInvite({ spaceId, role: 'role_space_user' })
    const register = (captchaToken: string | undefined) =>
      lectern.request('POST', `/v1/spaces/${spaceId}/invites/${inviteId}/register`, {
        body: { email: 'new@example.com', username: 'new', password: 'password', captchaToken },
      })
    for (const [token, status, code] of refused) {
      const answer = await register(token)
      expect([answer.status, answer.body.code], token).toEqual([status, code])
    }
    expect((await register('good')).status).toBe(200)
  })

  test('is not asked of those who sign in, until their account has been tried a hundred times', async () => {
    const { lectern } = await start({ LECTERN_RATE_LIMITS: 'on', LECTERN_TRUSTED_PROXIES: '127.0.0.1,::1' })
    const { password } = lectern.operator as Person
    const signIn = (from: string, given: string, captchaToken?: string) =>
      lectern.request('POST', '/v1/auth/session', {
        headers: { 'x-forwarded-for': from },
        body: { username: 'operator', password: given, ...(captchaToken && { captchaToken }) },
      })
    await Promise.all(times(100, index => signIn(`192.0.2.${index % 10}`, 'wrong')))
    const answer = await signIn('192.0.2.100', password)
    expect([answer.status, answer.body.code]).toEqual([400, 'captcha_required'])
    expect((await signIn('192.0.2.100', password, 'bad')).body.code).toBe('captcha_failed')
    expect((await signIn('192.0.2.100', password, 'good')).status).toBe(200)
  })

  test('without a provider a captchaToken is accepted and ignored', async () => {
    const lectern = await startLectern()
    const user = { email: 'new@example.com', username: 'new', password: 'password', captchaToken: 'anything' }
    expect(await lectern.operator.createUser(user)).toEqual({ id: expect.any(String) })
  })
})

describe('the service itself', () => {
  test('/healthz and /readyz', async () => {
    const lectern = await startLectern()
    const health = await lectern.request('GET', '/healthz')
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }])
    const readiness = await lectern.request('GET', '/readyz')
    expect([readiness.status, readiness.body]).toEqual([
      200,
      { status: 'ready', database: 'ready', media: 'off', mediaPercent: null },
    ])
  })

  test.runIf(isOneNode)('/metrics is for this machine, not for what is forwarded through it', async () => {
    const lectern = await startLectern()
    const scrape = (headers: Record<string, string> = {}) => lectern.request('GET', '/metrics', { headers })
    const { status, body } = await scrape()
    expect(status).toBe(200)
    expect(body).toMatch(/^lectern_http_request_duration_seconds_count\{/m)
    for (const headers of [
      { 'x-forwarded-for': '192.0.2.1' },
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=192.0.2.1' },
      { authorization: 'Bearer guess', 'x-forwarded-for': '127.0.0.1' },
    ] as Record<string, string>[])
      expect((await scrape(headers)).body.code).toBe('not_allowed')
  })

  test.each([
    ['a public address', {}, true],
    ['a proxy', { LECTERN_TRUSTED_PROXIES: '10.0.0.0/8' }, false],
    ['both', { LECTERN_TRUSTED_PROXIES: '127.0.0.1' }, true],
  ])('/metrics needs the token once there is %s', async (_, proxies, isPublic) => {
    const token = 'a-token-for-the-scraper'
    const port = await freePort()
    const settings = {
      ...proxies,
      ...(isPublic && { PORT: String(port), LECTERN_PUBLIC_URL: `http://localhost:${port}` }),
    }
    const lectern = await startLectern(settings)
    const { status, body } = await lectern.request('GET', '/metrics')
    expect([status, body.code, body.detail]).toEqual([
      403,
      'not_allowed',
      expect.stringMatching(/^Set LECTERN_METRICS_TOKEN/),
    ])
    await lectern.stop()

    const withToken = await startLectern({ ...settings, LECTERN_METRICS_TOKEN: token })
    const refused = await withToken.request('GET', '/metrics')
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringMatching(/^Send LECTERN_METRICS_TOKEN/)])
    expect((await withToken.request('GET', '/metrics', { token })).status).toBe(200)
  })

  test('/metrics with a token', async () => {
    const token = 'a token for the scraper'.replaceAll(' ', '-')
    const lectern = await startLectern({ LECTERN_METRICS_TOKEN: token })
    const scrape = (authorization: string, more: Record<string, string> = {}) =>
      lectern.request('GET', '/metrics', { headers: { authorization, ...more } })
    expect((await scrape(`Bearer ${token}`)).status).toBe(200)
    expect((await scrape(`Bearer ${token}`, { 'x-forwarded-for': '192.0.2.1' })).status).toBe(200)
    for (const wrong of [`Bearer ${token}x`, 'Bearer x', 'Bearer ', token])
      expect((await scrape(wrong, { 'x-forwarded-for': '192.0.2.1' })).status).toBe(403)
  })

  test('every answer has an id of its own, which nobody else chooses', async () => {
    const lectern = await startLectern()
    const ids = await Promise.all(
      ['/healthz', '/v1/users/me', '/nothing', '/v1/spaces/%', '/openapi.json'].map(
        async path =>
          (await lectern.request('GET', path, { headers: { 'x-request-id': 'chosen' } })).headers.get('x-request-id') ??
          '',
      ),
    )
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[\w-]{6,}$/)
    expect(ids).not.toContain('chosen')
  })
})
