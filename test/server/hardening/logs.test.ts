import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../../client/client.ts'
import { readConfig } from '../../../server/config.ts'
import { databaseFile } from '../../../server/store/db.ts'
import { tokenOf } from '../../support/cast.ts'
import { startProcess, temporaryFolder } from '../../support/process.ts'

test('no secret is ever logged, however much is', async () => {
  const environment = {
    LECTERN_DATA: temporaryFolder(),
    LECTERN_ADMIN_PASSWORD: 'the operator’s password',
    LECTERN_LOG_LEVEL: 'trace',
    LECTERN_METRICS_TOKEN: 'the-token-of-the-scraper',
  }
  const service = await startProcess(environment)
  const { url } = service
  const secrets: Record<string, string> = {
    'the operator’s password': environment.LECTERN_ADMIN_PASSWORD,
    'the metrics token': environment.LECTERN_METRICS_TOKEN,
    'a password': 'the password of a new user',
    'a password that is not right': 'a guess that is not right',
    'a phone number': '+372 5550 1234',
    'an idempotency key': 'a-key-of-the-client',
  }
  const secret = (name: string, value: string | undefined) => {
    secrets[name] = value ?? ''
    return value ?? ''
  }
  const operator = createClient({ baseUrl: url })
  const tokens = await operator.signIn('operator', environment.LECTERN_ADMIN_PASSWORD)
  const token = secret('an access token', tokens.access_token)
  const refresh_token = secret('a refresh token', tokens.refresh_token)
  const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const response = await fetch(url + path, { method, headers, ...(body && { body }) })
    await response.text()
    return response
  }
  const bearer = { authorization: `Bearer ${token}` }
  const json = { 'content-type': 'application/json' }

  // Everything that carries a secret, done well.
  await operator.createUser(
    {
      email: 'new@example.com',
      username: 'new',
      password: secrets['a password'] ?? '',
      phone: secrets['a phone number'] ?? '',
    },
    { idempotencyKey: secrets['an idempotency key'] ?? '' },
  )
  const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
  const { id: roomId } = await operator.createRooms({ spaceId, name: 'Room' })
  const invite = secret('an invite', (await operator.createInvite({ spaceId, role: 'role_space_user' })).id)
  await operator.activateInvite({ spaceId, inviteId: invite })
  const link = await operator.generateAccess({ spaceId, roomId, role: 'user', username: 'Guest' })
  const accessToken = secret('a link', tokenOf(link))
  secret('a guest token', (await operator.redeemAccess({ accessToken })).guestToken)
  const { clientId, clientSecret } = await operator.createClient({ name: 'Client' })
  secret('a client secret', clientSecret)
  await operator.createToken({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret })
  const cookies = (
    await send(
      'POST',
      '/v1/auth/session',
      json,
      JSON.stringify({ username: 'operator', password: environment.LECTERN_ADMIN_PASSWORD }),
    )
  ).headers.getSetCookie()
  for (const cookie of cookies) secret(cookie.split('=')[0] ?? '', /=([^;]+)/.exec(cookie)?.[1])
  const renewed = await operator.createToken({ grant_type: 'refresh_token', refresh_token })
  secret('the next refresh token', renewed.refresh_token)

  // And badly: spent, mistyped, in the wrong place, cut off.
  await operator.activateInvite({ spaceId, inviteId: invite }).catch(() => {})
  await send('GET', `/room/x?participantName=Guest&accessToken=${accessToken}`)
  await send('GET', `/v1/spaces/${spaceId}/invites/${invite}/nothing`, bearer)
  await send('POST', `/v1/spaces/%/invites/${invite}/activate`, bearer)
  await send('POST', '/v1/auth/token', json, `{"password":"${secrets['a password']}"`)
  await send('POST', '/v1/auth/token', json, JSON.stringify({ grant_type: 'x', password: secrets['a password'] }))
  await send('POST', '/v1/users', { ...bearer, ...json }, JSON.stringify({ password: secrets['a password'], x: 1 }))
  await send('GET', '/v1/users/me', { authorization: `Basic ${token}` })
  await send('GET', '/metrics', { authorization: `Bearer ${environment.LECTERN_METRICS_TOKEN}` })
  await operator
    .createToken({ grant_type: 'password', username: 'new', password: secrets['a password that is not right'] ?? '' })
    .catch(() => {})

  // And when we fail ourselves: then the log says most.
  const database = new Database(databaseFile(readConfig(environment)))
  onTestFinished(() => void database.close())
  database.exec('alter table invites rename to gone; alter table links rename to away')
  const failed = [
    await send('POST', `/v1/spaces/${spaceId}/invites/${invite}/activate`, bearer),
    await send('POST', '/v1/access/redeem', json, JSON.stringify({ accessToken })),
  ]
  expect(failed.map(({ status }) => status)).toEqual([500, 500])

  service.child.kill('SIGTERM')
  const { stdout, stderr } = await service.ended
  const log = stdout + stderr
  // It has been logging.
  expect(log).toContain('"route":"/v1/spaces/:spaceId/invites/:inviteId/activate"')
  expect(log).toMatch(/"level":"error".*no such table/)
  const leaked = Object.entries(secrets).filter(([, value]) => value === '' || log.includes(value))
  expect(leaked.map(([name]) => name)).toEqual([])
  // Every line of it is one JSON object, but for the greeting.
  const lines = log.split('\n').filter(line => line.startsWith('{'))
  expect(lines.length).toBeGreaterThan(20)
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) })
})
