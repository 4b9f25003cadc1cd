import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../client/client.ts'
import { readConfig } from '../../server/config.ts'
import { createPasswords } from '../../server/identity/passwords.ts'
import { localOriginOf, start } from '../../server/start.ts'
import { freePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/process.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:8080'],
  ['0.0.0.0', 'http://127.0.0.1:8080'],
  ['::', 'http://127.0.0.1:8080'],
  ['10.0.0.1', 'http://10.0.0.1:8080'],
  ['::1', 'http://[::1]:8080'],
])('the engine and the browser that records reach what listens on %s', (host, origin) => {
  expect(localOriginOf(host, 8080)).toBe(origin)
})

test('nobody is answered before there is an operator, who can then sign in', async () => {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const config = readConfig({
    PORT: String(port),
    LECTERN_DATA: temporaryFolder(),
    LECTERN_ADMIN_PASSWORD: 'operator password',
    LECTERN_MEDIA: 'off',
  })
  const asked = Promise.withResolvers<void>()
  const allowed = Promise.withResolvers<void>()
  const real = createPasswords()
  const passwords = {
    ...real,
    async hash(password: string) {
      asked.resolve()
      await allowed.promise
      return real.hash(password)
    },
  }
  const starting = start(config, pino({ level: 'silent' }), { passwords })
  await asked.promise
  const early = await fetch(`${baseUrl}/healthz`).then(
    ({ status }) => status,
    () => 'nobody listens',
  )
  allowed.resolve()
  const { stop } = await starting
  onTestFinished(() => stop())
  expect(early).toBe('nobody listens')
  await createClient({ baseUrl }).signIn('operator', 'operator password')
})
