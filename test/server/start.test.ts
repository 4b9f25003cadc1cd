import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../client/client.ts'
import { readConfig } from '../../server/config.ts'
import type * as passwords from '../../server/passwords.ts'
import { start } from '../../server/start.ts'
import { freePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/process.ts'

/** Hashing takes until the test lets it. */
const hashing = vi.hoisted(() => ({ asked: Promise.withResolvers<void>(), allowed: Promise.withResolvers<void>() }))

vi.mock('../../server/passwords.ts', async original => {
  const real = await original<typeof passwords>()
  const hashPassword: typeof real.hashPassword = async password => {
    hashing.asked.resolve()
    await hashing.allowed.promise
    return real.hashPassword(password)
  }
  return { ...real, hashPassword }
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
  const starting = start(config, pino({ level: 'silent' }))
  await hashing.asked.promise
  const early = await fetch(`${baseUrl}/healthz`).then(
    ({ status }) => status,
    () => 'nobody listens',
  )
  hashing.allowed.resolve()
  const { stop } = await starting
  onTestFinished(() => stop())
  expect(early).toBe('nobody listens')
  await createClient({ baseUrl }).signIn('operator', 'operator password')
})
