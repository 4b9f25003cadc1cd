import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLectern } from '../support/lectern.ts'
import { nodeTools, pythonTools } from '../support/tools.ts'
import { runProgram } from './programs.ts'

/* OAuth libraries as people use them: sign in, renew by themselves, revoke. */

const folder = mkdtempSync(join(tmpdir(), 'lectern-oauth-'))
const programs = resolve('test/integrators')
let environment: Record<string, string>

beforeAll(async () => {
  const lectern = await startLectern()
  const { username, password, createClient } = await lectern.user()
  const { clientId, clientSecret } = await createClient({ name: 'Integrator' })
  environment = {
    URL: lectern.url,
    NAME: username,
    PASSWORD: password,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('authlib and requests-oauthlib, with automatic refresh', async () => {
  const more = { PYTHONPATH: pythonTools(), OAUTHLIB_INSECURE_TRANSPORT: '1', AUTHLIB_INSECURE_TRANSPORT: '1' }
  const printed = await runProgram('python3', [join(programs, 'oauth.py')], folder, { ...environment, ...more })
  expect(printed).toBe('done\n')
}, 60_000)

test('openid-client and simple-oauth2; a refresh token issued to a client needs that client', async () => {
  symlinkSync(join(nodeTools(), 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(programs, 'oauth.mjs.txt'), join(folder, 'integrator.mjs'))
  expect(await runProgram(process.execPath, ['integrator.mjs'], folder, environment)).toBe('done\n')
}, 60_000)
