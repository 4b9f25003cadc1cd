/*
 * `npm run fuzz`: requests that schemathesis makes of the service's own description, good and bad, for two minutes. It
 * fails on an answer that the description doesn't allow.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { pino } from 'pino'
import { createClient } from '../client/client.ts'
import type { OperationName } from '../contract/operations.ts'
import { readConfig } from '../server/config.ts'
import { start } from '../server/start.ts'
import { pythonTools } from './support/tools.ts'

/** What would end the account or the session that all others need. */
const excluded: OperationName[] = [
  'changePassword',
  'deleteSession',
  'deleteUser',
  'endOtherSessions',
  'endSession',
  'resetPassword',
  'revokeToken',
  'updateMe',
]

const data = mkdtempSync(join(tmpdir(), 'lectern-fuzz-'))
const config = readConfig({
  PORT: '0',
  LECTERN_DATA: data,
  LECTERN_ADMIN_PASSWORD: 'operator password',
  LECTERN_RATE_LIMITS: 'off',
  LECTERN_MEDIA: 'off',
  LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
})
const lectern = await start(config, pino({ level: 'error' }), {})
const { access_token } = await createClient({ baseUrl: lectern.localUrl }).signIn('operator', 'operator password')

const tools = pythonTools('fuzz')
const folder = resolve(import.meta.dirname, 'integrators/python')
/** Single requests, and chains of them in which each uses what another has answered: a minute each. */
const phases = ['examples,coverage,fuzzing', 'stateful']
const run = async (phase: string) => {
  const child = spawn(
    'python3',
    [
      ...['-m', 'schemathesis.cli', '--config-file', join(folder, 'schemathesis.toml')],
      ...['run', `${lectern.localUrl}/openapi.json`, '--phases', phase, '--max-time', '60'],
      ...['-H', `Authorization: Bearer ${access_token}`],
      ...excluded.flatMap(name => ['--exclude-operation-id', name]),
      ...process.argv.slice(2),
    ],
    {
      cwd: data,
      stdio: 'inherit',
      env: { ...process.env, PYTHONPATH: [tools, folder].join(delimiter), SCHEMATHESIS_HOOKS: 'hooks' },
    },
  )
  return new Promise<number | null>(ended => child.once('exit', ended))
}
const codes: (number | null)[] = []
for (const phase of phases) codes.push(await run(phase))
await lectern.stop()
rmSync(data, { recursive: true, force: true })
process.exit(codes.every(code => code === 0) ? 0 : 1)
