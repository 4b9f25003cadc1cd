import { randomInt } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Client, createClient } from '../../../client/client.ts'
import { LecternError } from '../../../client/error.ts'
import { ConfigError, readConfig } from '../../../server/config.ts'
import { tokenOf } from '../../support/cast.ts'
import { freshInstallation, kinds, OPERATOR_PASSWORD, slowKinds } from '../../support/databases.ts'
import { isLong } from '../../support/long.ts'
import { UNKNOWN_HOST } from '../../support/names.ts'
import { takePort } from '../../support/ports.ts'
import { launch, lecternCommand, startProcess, temporaryFolder } from '../../support/process.ts'

const KILLS = isLong ? 100 : 2

const signedIn = async (baseUrl: string): Promise<Client> => {
  const client = createClient({ baseUrl })
  await client.signIn('operator', OPERATOR_PASSWORD)
  return client
}

/** What was acknowledged, and so must be there for good. */
interface Acknowledged {
  spaces: string[]
  rooms: string[]
  invites: string[]
  usedInvites: string[]
  links: string[]
  usedLinks: string[]
}
const nothing = (): Acknowledged => ({ spaces: [], rooms: [], invites: [], usedInvites: [], links: [], usedLinks: [] })

/** Writers that go on until the service is gone; each notes what it has been told. */
const load = (client: Client, spaceId: string, roomId: string, done: Acknowledged) => {
  const until = async (step: () => Promise<void>) => {
    for (;;) {
      try {
        await step()
      } catch (error) {
        // Gone: refused, reset or cut off. A real answer here must be a success.
        if (error instanceof LecternError) throw error
        return
      }
    }
  }
  const writers = [
    async () => {
      done.spaces.push((await client.createSpaces({ name: 'Space' })).id)
    },
    async () => {
      done.rooms.push((await client.createRooms({ spaceId, name: 'Room' })).id)
    },
    async () => {
      done.rooms.push((await client.createRooms({ spaceId, name: 'Room' })).id)
    },
    async () => {
      const { id: inviteId } = await client.createInvite({ spaceId, role: 'role_space_user' })
      done.invites.push(inviteId)
      await client.activateInvite({ spaceId, inviteId })
      done.usedInvites.push(inviteId)
    },
    async () => {
      const accessToken = tokenOf(await client.generateAccess({ spaceId, roomId, role: 'user', username: 'Guest' }))
      done.links.push(accessToken)
      await client.redeemAccess({ accessToken })
      done.usedLinks.push(accessToken)
    },
  ]
  return Promise.all([...writers, ...writers].map(until))
}

const all = async <T>(list: (cursor?: string) => Promise<{ items: T[]; nextCursor: string | null }>) => {
  const found: T[] = []
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await list(cursor)
    found.push(...items)
    if (nextCursor === null) return found
    cursor = nextCursor
  }
}

/** Every write that was acknowledged is found again, and what was spent stays spent. */
const verify = async (client: Client, spaceId: string, done: Acknowledged) => {
  const spaces = await all(cursor => client.listSpaces({ limit: 200, ...(cursor && { cursor }) }))
  const rooms = await all(cursor => client.listRooms({ spaceId, limit: 200, ...(cursor && { cursor }) }))
  const invites = await all(cursor => client.listInvites({ spaceId, limit: 200, ...(cursor && { cursor }) }))
  const missing = (ids: string[], there: { id: string }[]) => {
    const known = new Set(there.map(({ id }) => id))
    return ids.filter(id => !known.has(id))
  }
  expect(missing(done.spaces, spaces)).toEqual([])
  expect(missing(done.rooms, rooms)).toEqual([])
  expect(missing(done.invites, invites)).toEqual([])
  const usedAt = new Map(invites.map(invite => [invite.id, invite.usedAt]))
  expect(done.usedInvites.filter(id => !usedAt.get(id))).toEqual([])
  // Tried for real: the last ones, which a lost commit would have revived.
  for (const inviteId of done.usedInvites.slice(-5))
    await expect(client.activateInvite({ spaceId, inviteId })).rejects.toMatchObject({ code: 'invite_used' })
  for (const accessToken of done.usedLinks.slice(-5))
    await expect(client.redeemAccess({ accessToken })).rejects.toMatchObject({ code: 'link_used' })
  // A link that was made but whose use was never acknowledged is there, spent or not.
  for (const accessToken of done.links.slice(-5)) {
    const found = await client.inspectAccess({ accessToken }).catch((error: LecternError) => error.code)
    expect(found === 'link_used' || typeof found === 'object').toBe(true)
  }
}

describe.each(kinds)('a killed service on %s', kind => {
  test(
    'finds every acknowledged write again, however often',
    async () => {
      const environment = await freshInstallation(kind)
      const done = nothing()
      let spaceId = ''
      let roomId = ''
      for (let round = 0; round < KILLS; round++) {
        const service = await startProcess(environment)
        const client = await signedIn(service.url)
        if (round === 0) {
          spaceId = (await client.createSpaces({ name: 'Space' })).id
          roomId = (await client.createRooms({ spaceId, name: 'Room' })).id
        } else await verify(client, spaceId, done)
        const before = done.rooms.length
        const writing = load(client, spaceId, roomId, done)
        // Any moment will do, once there is something of each kind to lose.
        while (done.rooms.length < before + 10 || !done.usedLinks.length || !done.usedInvites.length) await wait(1)
        await wait(randomInt(100))
        service.child.kill('SIGKILL')
        expect(await service.ended).toMatchObject({ signal: 'SIGKILL' })
        await writing
      }
      const service = await startProcess(environment)
      await verify(await signedIn(service.url), spaceId, done)
      expect(done.usedLinks.length).toBeGreaterThan(0)
      expect(done.usedInvites.length).toBeGreaterThan(0)
      if (isLong)
        console.log(`${kind}, ${KILLS} kills: all ${Object.values(done).flat().length} acknowledged writes found`)
    },
    isLong ? 1_200_000 : 300_000,
  )

  test.runIf(slowKinds.includes(kind))('leaves no account half made on the first start', async () => {
    // A password that is made for it.
    const environment = { ...(await freshInstallation(kind, { isEmpty: true })), LECTERN_ADMIN_PASSWORD: '' }
    // A little later each time: before, while and after the database and the account are made.
    for (let delay = 250; delay <= 700; delay += 150) {
      const { child, ended } = launch(['start'], environment)
      await wait(delay)
      child.kill('SIGKILL')
      await ended
    }
    const service = await startProcess(environment)
    const users = await lecternCommand(['user', 'list'], environment)
    expect(users.stdout.trim().split('\n')).toHaveLength(1)
    // If it was killed just before it could print the password, there is a way to another.
    const { stdout } = await lecternCommand(['user', 'password', 'operator'], environment)
    const [, password = ''] = /password {2}(\S+)/.exec(stdout) ?? []
    await createClient({ baseUrl: service.url }).signIn('operator', password)
  })
})

describe.each(slowKinds)('a stopped service on %s', kind => {
  test('SIGTERM: what is under way is answered, and it ends with 0', async () => {
    const environment = { ...(await freshInstallation(kind)), LECTERN_LOG_LEVEL: 'info', LECTERN_DRAIN_SECONDS: '1' }
    const service = await startProcess(environment)
    const client = await signedIn(service.url)
    const spaceId = (await client.createSpaces({ name: 'Space' })).id
    const roomId = (await client.createRooms({ spaceId, name: 'Room' })).id
    const done = nothing()
    const writing = load(client, spaceId, roomId, done)
    while (done.rooms.length < 20) await wait(1)
    // Each of these hashes a password, so they are under way for a while.
    const slow = Array.from({ length: 24 }, (_, index) =>
      client.createUser({ email: `slow${index}@example.com`, username: `slow ${index}`, password: OPERATOR_PASSWORD }),
    )
    // Once the first has been answered all have arrived, and most still wait: two are hashed at a time.
    await slow[0]
    service.child.kill('SIGTERM')
    const users = await Promise.all(slow)
    await writing
    const { code, stdout, stderr } = await service.ended
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('stopped')

    const again = await startProcess(environment)
    const operator = await signedIn(again.url)
    await verify(operator, spaceId, done)
    const known = new Set((await operator.listUsers({ limit: 200 })).items.map(({ id }) => id))
    expect(users.filter(({ id }) => !known.has(id))).toEqual([])
  })
})

describe('a start that cannot be', () => {
  const expectPlainWords = ({ code, stdout, stderr }: Awaited<ReturnType<typeof lecternCommand>>) => {
    expect(stderr).not.toMatch(/\n {4}at |node:internal|Error:/)
    expect(stdout).not.toContain('ready')
    return { code, words: stderr.trim() }
  }

  test('the port is taken', async () => {
    const { port, close } = await takePort()
    onTestFinished(close)
    const ended = await lecternCommand(['start'], { LECTERN_DATA: temporaryFolder(), PORT: String(port) })
    expect(expectPlainWords(ended)).toEqual({ code: 1, words: expect.stringContaining(`Port ${port} is in use`) })
  })

  test('the host is not of this machine', async () => {
    const ended = await lecternCommand(['start'], { LECTERN_DATA: temporaryFolder(), PORT: '0', HOST: '192.0.2.1' })
    expect(expectPlainWords(ended)).toEqual({ code: 1, words: expect.stringContaining('HOST') })
  })

  test('the folder above the data folder is missing', async () => {
    const data = join(temporaryFolder(), 'no', 'such', 'folder')
    const ended = await lecternCommand(['start'], { LECTERN_DATA: data, PORT: '0' })
    expect(expectPlainWords(ended)).toEqual({ code: 1, words: expect.stringMatching(/does not exist.*LECTERN_DATA/) })
    expect(existsSync(data)).toBe(false)
  })

  test('the data folder is a file', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    const ended = await lecternCommand(['start'], { LECTERN_DATA: file, PORT: '0' })
    expect(expectPlainWords(ended)).toEqual({ code: 1, words: expect.stringContaining('LECTERN_DATA') })
  })

  test('the data folder is not writable', async () => {
    // Permissions do not stop root; a folder of the kernel's does.
    const root = process.getuid?.() === 0
    const data = root ? '/sys' : temporaryFolder()
    if (!root) chmodSync(data, 0o500)
    const ended = await lecternCommand(['start'], { LECTERN_DATA: data, PORT: '0' })
    expect(expectPlainWords(ended)).toEqual({ code: 1, words: expect.stringContaining('Can’t write') })
  })

  test('the key is damaged: it says so, and makes no new one', async () => {
    const data = temporaryFolder()
    writeFileSync(join(data, 'master.key'), 'short\n')
    const { code, stderr } = await lecternCommand(['start'], { LECTERN_DATA: data, PORT: '0' })
    expect(code).toBe(1)
    expect(stderr).toContain('master.key is damaged')
    expect(stderr).not.toMatch(/\n {4}at /)
    expect(readFileSync(join(data, 'master.key'), 'utf8')).toBe('short\n')
  })

  test('the database is no database', async () => {
    const data = temporaryFolder()
    writeFileSync(join(data, 'lectern.db'), 'this is not a database, whatever its name says'.repeat(100))
    const ended = await lecternCommand(['start'], { LECTERN_DATA: data, PORT: '0' })
    expect(expectPlainWords(ended)).toEqual({ code: 1, words: expect.stringContaining('Can’t use the database') })
  })

  test.each([
    ['at a port', '127.0.0.1:1'],
    ['behind a socket', '%2Fno%2Fsuch%2Ffolder'],
    ['by a name', UNKNOWN_HOST],
  ])('PostgreSQL is not there, %s', async (_, host) => {
    const ended = await lecternCommand(['start'], {
      LECTERN_DATA: temporaryFolder(),
      PORT: '0',
      DATABASE_URL: `postgres://lectern:hidden-password@${host}/lectern`,
    })
    expect(expectPlainWords(ended)).toEqual({ code: 1, words: expect.stringContaining('DATABASE_URL') })
    expect(ended.stderr).not.toContain('hidden-password')
  })

  test('settings: all that is wrong is named at once, secrets without their value', async () => {
    const data = temporaryFolder()
    const ended = await lecternCommand(['start'], {
      LECTERN_DATA: data,
      PORT: 'x',
      LECTERN_LOG_LEVEL: 'loud',
      LECTERN_METRICS_TOKEN: 'too short',
    })
    const { stderr } = ended
    expect(expectPlainWords(ended).code).toBe(2)
    for (const words of ['PORT is "x"', 'LECTERN_LOG_LEVEL is "loud"', 'LECTERN_METRICS_TOKEN must be'])
      expect(stderr).toContain(words)
    expect(stderr).not.toContain('too short')
    expect(existsSync(join(data, 'lectern.db'))).toBe(false)
  })
})

describe('a setting that is wrong', () => {
  test.each([
    ['PORT', 'http', 'a whole number'],
    ['PORT', '70000', 'a whole number'],
    ['PORT', '-1', 'a whole number'],
    ['LECTERN_RATE_LIMITS', 'yes', 'one of on, off'],
    ['LECTERN_DEFAULT_PLAN', 'gold', 'one of free, team, business'],
    ['LECTERN_PUBLIC_URL', 'lectern.example', 'https://'],
    ['LECTERN_PUBLIC_URL', 'https://lectern.example/path', 'without a path'],
    ['LECTERN_TRUSTED_PROXIES', 'proxy', 'addresses or ranges'],
    ['LECTERN_TRUSTED_PROXIES', '10.0.0.0/33', 'addresses or ranges'],
    ['LECTERN_CORS_ORIGINS', '*', 'https://'],
    ['LECTERN_ADMIN_EMAIL', 'operator', 'an email address'],
    ['LECTERN_ADMIN_PASSWORD', 'short', '8 to 256 characters'],
    ['DATABASE_URL', 'mysql://user:secret@host', 'postgres://'],
    ['LECTERN_CAPTCHA_PROVIDER', 'turnstile', 'Set both'],
    ['LECTERN_CAPTCHA_PROVIDER', 'mine', 'one of turnstile, hcaptcha, recaptcha'],
    ['LECTERN_CAPTCHA_SITE_KEY', 'key', 'Set both'],
    ['LECTERN_CAPTCHA_SITE_KEY', 'a"key', 'letters, digits'],
    ['LECTERN_CAPTCHA_SECRET', 'shh', 'requires LECTERN_CAPTCHA_PROVIDER'],
    ['LECTERN_CAPTCHA_URL', 'https://captcha.example', 'requires LECTERN_CAPTCHA_SECRET'],
    ['LECTERN_METRICS_TOKEN', 'short', 'at least 16 characters'],
    ['LECTERN_LOG_LEVEL', 'loud', 'one of fatal'],
  ])('%s=%s', (name, value, words) => {
    const message = (() => {
      try {
        readConfig({ [name]: value })
      } catch (error) {
        return error instanceof ConfigError ? error.message : error
      }
    })()
    expect(message).toContain(name)
    expect(message).toContain(words)
    expect(message).not.toContain('secret@')
  })
})

describe('the first start', () => {
  test('prints the operator’s password once and only once, and keeps its files to itself', async () => {
    const data = join(temporaryFolder(), 'data')
    const environment = { LECTERN_DATA: data }
    const first = await startProcess(environment)
    const [, password = ''] = /password {2}(\S+)/.exec(first.output.stdout) ?? []
    expect(password).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/)
    await createClient({ baseUrl: first.url }).signIn('operator@lectern.local', password)
    first.child.kill('SIGTERM')
    const { stdout, stderr } = await first.ended
    expect((stdout + stderr).split(password)).toHaveLength(2)
    expect(statSync(data).mode & 0o077).toBe(0)
    for (const file of ['master.key', 'lectern.db']) expect(statSync(join(data, file)).mode & 0o077).toBe(0)

    const second = await startProcess(environment)
    await createClient({ baseUrl: second.url }).signIn('operator', password)
    expect(second.output.stdout).not.toContain('operator')
    expect(second.output.stdout).not.toContain('password')
  })

  test('that finds its port taken has told the password already, which counts from then on', async () => {
    const environment = { LECTERN_DATA: temporaryFolder() }
    const { port, close } = await takePort()
    onTestFinished(close)
    const { code, stdout } = await lecternCommand(['start'], { ...environment, PORT: String(port) })
    expect(code).toBe(1)
    const [, password = ''] = /password {2}(\S+)/.exec(stdout) ?? []
    const { url, output } = await startProcess(environment)
    expect(output.stdout).not.toContain('password')
    await createClient({ baseUrl: url }).signIn('operator', password)
  })

  test('does not print a password that was given to it', async () => {
    const { output, url } = await startProcess({
      LECTERN_DATA: temporaryFolder(),
      LECTERN_ADMIN_PASSWORD: OPERATOR_PASSWORD,
    })
    await signedIn(url)
    expect(output.stdout).toContain('(from LECTERN_ADMIN_PASSWORD)')
    expect(output.stdout + output.stderr).not.toContain(OPERATOR_PASSWORD)
  })
})
