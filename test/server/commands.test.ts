import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces, userInfo } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../client/client.ts'
import { LecternError } from '../../client/error.ts'
import { requirePrivate } from '../../server/commands/doctor/reach.ts'
import { readConfig } from '../../server/config.ts'
import { provideEngine } from '../../server/media/provision.ts'
import { ENGINE_WITHIN_MS, untilMedia } from '../support/live.ts'
import { isLong } from '../support/long.ts'
import { type Ended, lecternCommand, startProcess, temporaryFolder } from '../support/process.ts'
import { startFakeEngine } from '../support/sockets.ts'

const PASSWORD = 'operator password'

/** An installation that has never been started. */
const installation = async () => {
  const environment = { LECTERN_DATA: temporaryFolder(), LECTERN_ADMIN_PASSWORD: PASSWORD, PORT: '0' }
  return { environment, run: (...args: string[]) => lecternCommand(args, environment) }
}

/** And one that runs. */
const runningInstallation = async () => {
  const { environment, run } = await installation()
  const service = await startProcess(environment)
  const operator = createClient({ baseUrl: service.url })
  await operator.signIn('operator', PASSWORD)
  return { environment, run, service, operator }
}

/** One that runs for all tests which leave it as it was, or alone know what they have put there. */
let shared: Awaited<ReturnType<typeof runningInstallation>>
beforeAll(async () => {
  shared = await runningInstallation()
})

/** What the audit log says that commands did, oldest first. */
const auditOf = async ({ operator }: Pick<typeof shared, 'operator'>) => {
  const { items } = await operator.listAudit({ limit: 200 })
  const byCommand = items.filter(({ actor }) => actor.kind === 'command').reverse()
  for (const { actor, address, tokenId } of byCommand)
    expect([actor, address, tokenId]).toEqual([{ kind: 'command', id: null, name: userInfo().username }, null, null])
  return byCommand.map(({ action, target }) => [action, target.name])
}

const expectDone = ({ code, stdout, stderr }: Ended) => {
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}
/** In plain words: no stack. */
const expectRefused = ({ code, stderr }: Ended, words: string | RegExp, expected = 1) => {
  expect(stderr).toMatch(words)
  expect(stderr).not.toMatch(/\n {4}at /)
  expect(code).toBe(expected)
}

describe('lectern', () => {
  test('explains itself', async () => {
    const [help, userHelp, nothing, unknown, missing, tooMany] = (await Promise.all([
      lecternCommand(['--help']),
      lecternCommand(['user', '--help']),
      lecternCommand([]),
      lecternCommand(['sing']),
      lecternCommand(['user', 'add', 'only@example.com']),
      lecternCommand(['start', 'now']),
    ])) as [Ended, Ended, Ended, Ended, Ended, Ended]
    const text = expectDone(help)
    for (const command of [
      'start',
      'migrate',
      'config',
      'user',
      'client',
      'space',
      'copy',
      'backup',
      'restore',
      'doctor',
      'completion',
    ])
      expect(text).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'))
    for (const command of ['list', 'add', 'password', 'remove']) expect(expectDone(userHelp)).toContain(command)
    // Usage is shown, and it counts as a mistake.
    expect([nothing.code, nothing.stdout + nothing.stderr]).toEqual([2, expect.stringContaining('Usage: lectern')])
    expectRefused(unknown, /unknown command 'sing'/, 2)
    expectRefused(missing, /missing required argument 'username'/, 2)
    expectRefused(tooMany, /too many arguments/, 2)
  })
})

describe('for programs', () => {
  test('every command that prints something takes --json', async () => {
    const { run } = shared
    const read = async (...words: string[]) => JSON.parse(expectDone(await run(...words, '--json')))
    const { id: userId, password } = await read('user', 'add', 'json@example.com', 'json')
    expect(password).toEqual(expect.any(String))
    expect(await read('user', 'list')).toContainEqual({
      ...{ id: userId, email: 'json@example.com', username: 'json', isOperator: false },
      createdAt: expect.stringMatching(/Z$/),
    })
    const { clientId, clientSecret } = await read('client', 'add', 'json', 'Backend')
    expect(clientSecret).toEqual(expect.any(String))
    expect(await read('client', 'list', 'json')).toMatchObject([{ clientId, name: 'Backend' }])
    expect(await read('client', 'remove', 'json', clientId)).toEqual({ clientId })
    expect(await read('user', 'password', 'json')).toEqual({ id: userId, password: expect.any(String) })
    expect(await read('user', 'remove', 'json')).toEqual({ id: userId })
    expect(await read('migrate')).toEqual({ applied: [] })
    expect(await read('config')).toContainEqual(expect.objectContaining({ name: 'PORT', value: '0', isDefault: false }))
    const file = join(temporaryFolder(), 'lectern.backup')
    expect(await read('backup', file)).toMatchObject({ file, schema: 'current' })
    const { stdout } = await run('doctor', '--json')
    expect(JSON.parse(stdout)).toContainEqual({ what: 'settings', isOk: true, trouble: null })
  })

  test('says its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(expectDone(await lecternCommand(['--version']))).toBe(`${version}\n`)
  })

  test('completes commands in bash, and prints what zsh and fish read', async () => {
    const [bash, zsh, fish, other] = (await Promise.all(
      ['bash', 'zsh', 'fish', 'csh'].map(shell => lecternCommand(['completion', shell])),
    )) as [Ended, Ended, Ended, Ended]
    /** What bash offers for the last of these words. */
    const offered = (...words: string[]) => {
      const line = words.map(word => `'${word}'`).join(' ')
      const script = `${expectDone(bash)}\nCOMP_WORDS=(lectern ${line}); COMP_CWORD=${words.length}; _lectern; echo "\${COMPREPLY[*]}"`
      return execFileSync('bash', ['-euc', script], { encoding: 'utf8' }).trim()
    }
    expect(offered('mi')).toBe('migrate')
    expect(offered('user', '')).toBe('list add password remove --help')
    expect(offered('user', 'add', 'ada@example.com', '--')).toBe('--operator --json --help')
    expect(offered('space', 'plan', 'id', 'team', '--u')).toBe('--until')
    // A value that reads like a command is none.
    expect(offered('client', 'list', 'user', '--')).toBe('--json --help')
    expect(expectDone(zsh)).toMatch(/^#compdef lectern\n/)
    expect(expectDone(zsh)).toContain("' user add') compadd -- --operator --json --help ;;")
    // Files only where files are meant, and the values of an argument that has a list of them.
    expect(expectDone(zsh)).toContain("' copy'|' backup'|' restore') [[ $PREFIX == -* ]] || _files ;;")
    expect(offered('completion', '')).toBe('bash zsh fish --help')
    expect(expectDone(fish)).toContain("complete -c lectern -n '__fish_seen_subcommand_from completion' -a zsh")
    expect(expectDone(fish)).toContain(
      "complete -c lectern -n '__fish_seen_subcommand_from user; and __fish_seen_subcommand_from add' -l operator",
    )
    expectRefused(other, /Allowed choices are bash, zsh, fish/, 2)
  })
})

describe('lectern user', () => {
  test('adds, lists, gives a new password to and removes users, while the service runs', async () => {
    const { run, service, operator } = await runningInstallation()
    const added = expectDone(await run('user', 'add', 'ada@example.com', 'ada'))
    const [, id = '', password = ''] = /^id {8}(\S+)\npassword {2}(\S+)\n$/.exec(added) ?? []
    const ada = createClient({ baseUrl: service.url })
    await ada.signIn('ada', password)
    expect(await ada.getMe()).toMatchObject({ id, email: 'ada@example.com', isOperator: false })

    expectDone(await run('user', 'add', 'grace@example.com', 'grace', '--operator'))
    const lines = expectDone(await run('user', 'list'))
      .trim()
      .split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^\S{36} {2}operator@lectern\.local {2}operator {2}operator$/),
      `${id}  ada@example.com  ada`,
      expect.stringMatching(/ grace {2}operator$/),
    ])

    const { clientId: client_id, clientSecret: client_secret } = await ada.createClient({ name: 'Backend' })
    const clientSignsIn = () => operator.createToken({ grant_type: 'client_credentials', client_id, client_secret })
    const given = expectDone(await run('user', 'password', 'ADA@example.com'))
    const [, next = ''] = /^password {2}(\S+)\n$/.exec(given) ?? []
    await expect(ada.getMe()).rejects.toBeInstanceOf(LecternError)
    await expect(ada.signIn('ada', password)).rejects.toMatchObject({ code: 'invalid_grant' })
    await ada.signIn('ada', next)
    await clientSignsIn()

    const last = expectDone(await run('user', 'password', 'ada', '--end-clients'))
    await expect(clientSignsIn()).rejects.toMatchObject({ code: 'invalid_client' })
    await ada.signIn('ada', last.trim().split('  ')[1] ?? '')

    const { id: spaceId } = await ada.createSpaces({ name: 'Space' })
    expectRefused(await run('user', 'remove', 'ada'), 'owns spaces')
    await ada.deleteSpace({ spaceId })
    expectDone(await run('user', 'remove', 'ada'))
    await expect(ada.getMe()).rejects.toBeInstanceOf(LecternError)
    expect(expectDone(await run('user', 'list'))).not.toContain('ada')
    expect(await auditOf({ operator })).toEqual([
      ['user.created', 'operator'],
      ['user.created', 'ada'],
      ['user.created', 'grace'],
      ['user.password_reset', 'ada'],
      ['user.password_reset', 'ada'],
      ['user.deleted', 'ada'],
    ])
  })

  test('says what is wrong', async () => {
    const { run } = shared
    expectDone(await run('user', 'add', 'ada@example.com', 'ada'))
    const [nowhere, sameMail, sameName, badMail, badName, nobody, last] = (await Promise.all([
      (await installation()).run('user', 'list'),
      run('user', 'add', 'ADA@example.com', 'other'),
      run('user', 'add', 'other@example.com', 'Ada'),
      run('user', 'add', 'ada', 'other'),
      run('user', 'add', 'other@example.com', 'other@else.example'),
      run('user', 'password', 'nobody'),
      run('user', 'remove', 'operator'),
    ])) as [Ended, Ended, Ended, Ended, Ended, Ended, Ended]
    expectRefused(nowhere, 'No database found')
    expectRefused(sameMail, 'this email address already')
    expectRefused(sameName, 'this username already')
    expectRefused(badMail, 'email')
    expectRefused(badName, 'may contain an @ only')
    expectRefused(nobody, 'User not found: nobody')
    expectRefused(last, 'last operator')
  })
})

describe('lectern client and space', () => {
  test('adds, lists and removes API clients', async () => {
    const { run, service, operator } = shared
    const added = expectDone(await run('client', 'add', 'operator', 'School backend'))
    const [, client_id = '', client_secret = ''] = /client_id {6}(\S+)\nclient_secret {2}(\S+)\n/.exec(added) ?? []
    const { access_token } = await operator.createToken({ grant_type: 'client_credentials', client_id, client_secret })
    const client = createClient({ baseUrl: service.url, token: access_token })
    await client.getMe()
    expect(expectDone(await run('client', 'list', 'operator@lectern.local'))).toBe(`${client_id}  School backend\n`)
    expectDone(await run('client', 'remove', 'operator', client_id))
    await expect(client.getMe()).rejects.toMatchObject({ code: 'token_invalid' })
    const [gone, nobody, blank, lines] = (await Promise.all([
      run('client', 'remove', 'operator', client_id),
      run('client', 'add', 'nobody', 'Name'),
      run('client', 'add', 'operator', '  '),
      run('client', 'add', 'operator', 'two\nlines'),
    ])) as [Ended, Ended, Ended, Ended]
    expectRefused(gone, 'API client not found')
    expectRefused(nobody, 'User not found: nobody')
    expectRefused(blank, 'name is required')
    expectRefused(lines, 'name has an invalid format: one line')
    expect((await auditOf(shared)).filter(([, name]) => name === 'School backend')).toEqual([
      ['client.created', 'School backend'],
      ['client.deleted', 'School backend'],
    ])
  })

  test('lists spaces and sets their plan', async () => {
    const { run, operator } = shared
    const { id: spaceId } = await operator.createSpaces({ name: 'Evening school' })
    expect(expectDone(await run('space', 'list'))).toBe(`${spaceId}  team  operator  Evening school\n`)
    expectDone(await run('space', 'plan', spaceId, 'business', '--until', '2099-01-31T00:00:00Z'))
    expect(await operator.getSpace({ spaceId })).toMatchObject({
      plan: 'business',
      planActiveUntil: '2099-01-31T00:00:00.000Z',
    })
    expect(expectDone(await run('space', 'list'))).toContain('business until 2099-01-31T00:00:00.000Z')
    expectDone(await run('space', 'plan', spaceId, 'free'))
    expect(await operator.getSpace({ spaceId })).toMatchObject({ plan: 'free', planActiveUntil: null })
    const [gold, tomorrow, tooLate, none] = (await Promise.all([
      run('space', 'plan', spaceId, 'gold'),
      run('space', 'plan', spaceId, 'team', '--until', 'tomorrow'),
      run('space', 'plan', spaceId, 'team', '--until', '9999-12-31T23:59:59-00:01'),
      run('space', 'plan', 'none', 'team'),
    ])) as [Ended, Ended, Ended, Ended]
    expectRefused(gold, 'must be free, team or business')
    for (const refused of [tomorrow, tooLate]) expectRefused(refused, '--until must be a time')
    expectRefused(await run('space', 'plan', spaceId, 'team', '--until', '2020-01-31'), '--until must be in the future')
    expect((await operator.getSpace({ spaceId })).plan).toBe('free')
    expect(JSON.parse(expectDone(await run('space', 'list', '--json')))).toEqual([
      { id: spaceId, name: 'Evening school', ownerUsername: 'operator', plan: 'free', planActiveUntil: null },
    ])
    expectRefused(none, 'Space not found: none')
    const { items } = await operator.listSpaceAudit({ spaceId, action: 'plan.set' })
    expect(items.map(({ actor, details }) => [actor.kind, details.plan])).toEqual([
      ['command', 'free'],
      ['command', 'business'],
    ])
  })
})

describe('lectern backup', () => {
  test('never overwrites, and leaves nothing behind when it fails', async () => {
    const folder = temporaryFolder()
    const { environment, run } = shared
    writeFileSync(join(folder, 'taken.db'), 'mine')
    const other = { ...environment, DATABASE_URL: 'postgres://lectern@127.0.0.1:1/lectern' }
    const [nothing, taken, nowhere, elsewhere] = (await Promise.all([
      (await installation()).run('backup', join(folder, 'copy.db')),
      run('backup', join(folder, 'taken.db')),
      run('backup', join(folder, 'no', 'folder', 'copy.db')),
      lecternCommand(['backup', join(folder, 'copy.db')], other),
    ])) as [Ended, Ended, Ended, Ended]
    expectRefused(nothing, 'No database found')
    expectRefused(taken, 'already exists')
    expectRefused(nowhere, 'Folder not found')
    expectRefused(elsewhere, 'Can’t connect to PostgreSQL')
    expect(readdirSync(folder)).toEqual(['taken.db'])
  })
})

describe('lectern doctor', () => {
  const ok = (what: string) => expect.stringMatching(new RegExp(`^ok +${what}`, 'm'))
  const trouble = (what: string) => expect.stringMatching(new RegExp(`^ERROR +${what}`, 'm'))
  const cached = () =>
    // Built here if no other test has yet.
    provideEngine(readConfig({}).cache, () => {}, new AbortController().signal)

  test(
    'finds nothing wrong where nothing is, and has really connected to the engine',
    async () => {
      await cached()
      const { run } = await installation()
      const text = expectDone(await run('doctor'))
      expect(text).not.toContain('ERROR')
      for (const what of ['settings', 'Node 26', 'data folder', 'master key', 'SQLite', 'port', 'media engine /'])
        expect(text).toEqual(ok(what))
      expect(text).toEqual(ok('connection to the media engine'))
      expect(text).toEqual(ok('recording: /\\S+, /\\S+ffmpeg'))
    },
    ENGINE_WITHIN_MS,
  )

  test.runIf(isLong)(
    'examines the engine of the service that runs',
    async () => {
      await cached()
      const { environment } = await installation()
      const service = await startProcess({ ...environment, LECTERN_MEDIA: 'on' })
      await untilMedia(service.url, 'ready')
      const here = { ...environment, PORT: new URL(service.url).port }
      const text = expectDone(await lecternCommand(['doctor'], here))
      for (const what of ['port \\d+ on 127.0.0.1, where Lectern is running', 'media engine: running', 'connection'])
        expect(text).toEqual(ok(what))
      process.kill(Number(readFileSync(join(environment.LECTERN_DATA, 'livekit.pid'), 'utf8')), 'SIGSTOP')
      const { code, stdout } = await lecternCommand(['doctor'], here)
      expect([code, stdout]).toEqual([1, trouble('connection to the media engine')])
    },
    ENGINE_WITHIN_MS,
  )

  test('finds what is wrong', async () => {
    const { environment } = await runningInstallation()
    chmodSync(join(environment.LECTERN_DATA, 'master.key'), 0o644)
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const PORT = String((other.address() as AddressInfo).port)
    const { code, stdout } = await lecternCommand(['doctor'], { ...environment, PORT, LECTERN_MEDIA: 'off' })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^ERROR +master key: other users can read .*chmod 600/m)
    expect(stdout).toMatch(/^ERROR +port \d+ on 127\.0\.0\.1: in use by another program\. Set PORT/m)
    expect(stdout).toEqual(ok('media: off'))
    expect(stdout).toEqual(ok('recording: off'))
    const nowhere = join(temporaryFolder(), 'no', 'folder')
    const { stdout: text, code: failed } = await lecternCommand(['doctor'], {
      LECTERN_DATA: nowhere,
      PORT: '0',
      LECTERN_MEDIA: 'off',
    })
    expect(failed).toBe(1)
    expect(text).toMatch(/^ERROR +data folder .*does not exist/m)
    expect(existsSync(nowhere)).toBe(false)
    expectRefused(await lecternCommand(['doctor'], { PORT: 'x' }), 'PORT', 2)
  })

  test.runIf(isLong)('says when an engine run elsewhere can be reached without Lectern', async () => {
    const { environment } = await installation()
    const examine = async (host: string) => {
      const { settings } = await startFakeEngine(socket => socket.destroy(), host)
      return (await lecternCommand(['doctor'], { ...environment, ...settings })).stdout
    }
    expect(await examine('127.0.0.1')).toEqual(ok('media engine port'))
    const [outside] = Object.values(networkInterfaces())
      .flatMap(addresses => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
    if (outside)
      expect(await examine('0.0.0.0')).toEqual(
        trouble(`media engine port of \\S+: it can be reached from other machines at ${outside.address}`),
      )
    await expect(requirePrivate('https://8.8.8.8')).rejects.toThrow(/8\.8\.8\.8 is a public address.*port 443/)
    await expect(requirePrivate('http://[2606:4700::1111]:7880')).rejects.toThrow(/public address.*port 7880/)
    await requirePrivate('http://10.255.0.7:7880')
  })

  test('finds what is wrong with the media engine', async () => {
    const { environment } = await installation()
    const examine = async (more: Record<string, string>) => {
      const { code, stdout } = await lecternCommand(['doctor'], { ...environment, ...more })
      expect(code).toBe(1)
      return stdout
    }
    const empty = { LECTERN_CACHE: temporaryFolder() }

    const ways = 'Install Go 1.26.* pip .* uv or pipx.* livekit-server 1.13 on PATH.* LECTERN_LIVEKIT_URL'
    const without = await examine({ ...empty, PATH: '' })
    expect(without).toEqual(trouble(`media engine.*${ways}`))
    expect(without).toEqual(ok('recording: not set up. .*apt-get install chromium ffmpeg'))
    expect(await examine({ ...empty, LECTERN_CHROMIUM: '/no/chromium' })).toEqual(
      trouble('recording: .*LECTERN_CHROMIUM'),
    )
    const confined = join(temporaryFolder(), 'chromium')
    writeFileSync(confined, '#!/bin/sh\necho "No usable sandbox! If this is a Debian system, …" >&2; exit 1\n', {
      mode: 0o755,
    })
    expect(await examine({ ...empty, LECTERN_CHROMIUM: confined })).toEqual(trouble('recording: .*user namespaces'))

    const tcp = createServer().listen(0)
    const udp = createSocket('udp4').bind(0)
    onTestFinished(() => {
      tcp.close()
      udp.close()
    })
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening')])
    const [tcpPort, udpPort] = [(tcp.address() as AddressInfo).port, udp.address().port]
    const taken = await examine({ LECTERN_MEDIA_PORTS: `${tcpPort},${udpPort}` })
    for (const port of [`${tcpPort} \\(TCP\\)`, `${udpPort} \\(UDP\\)`])
      expect(taken).toEqual(trouble(`media port ${port}: in use by another program\\. Set LECTERN_MEDIA_PORTS`))

    const elsewhere = {
      LECTERN_LIVEKIT_URL: 'http://127.0.0.1:9, ws://127.0.0.1:19',
      LECTERN_LIVEKIT_API_KEY: 'key',
      LECTERN_LIVEKIT_API_SECRET: 'secret',
    }
    const unanswered = await examine(elsewhere)
    for (const port of [9, 19])
      expect(unanswered).toEqual(trouble(`media engine at http://127.0.0.1:${port}: it does not respond`))

    // It says that it fits, and that is all it can do.
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'livekit-server'), '#!/bin/sh\necho livekit-server version 1.13.5.\n', { mode: 0o755 })
    const broken = await examine({ ...empty, PATH: `${folder}:/usr/bin:/bin` })
    expect(broken).toEqual(ok('media engine livekit-server'))
    expect(broken).toEqual(trouble('connection to the media engine: it exits right after starting'))
  }, 60_000)
})

describe('lectern config', () => {
  test('shows all settings, and secrets only as set', async () => {
    const secrets = {
      LECTERN_ADMIN_PASSWORD: 'a-password-to-hide',
      LECTERN_METRICS_TOKEN: 'a-token-to-hide-too',
      LECTERN_CAPTCHA_SECRET: 'a-captcha-secret',
      DATABASE_URL: 'postgres://user:database-password@db.example/lectern',
    }
    const text = expectDone(
      await lecternCommand(['config'], {
        ...secrets,
        LECTERN_CAPTCHA_PROVIDER: 'turnstile',
        LECTERN_CAPTCHA_SITE_KEY: 'site-key',
        PORT: '8181',
      }),
    )
    expect(text).toMatch(/^PORT=8181$/m)
    expect(text).toMatch(/^HOST=127\.0\.0\.1 {2}# default$/m)
    for (const [name, value] of Object.entries(secrets)) {
      expect(text).toMatch(new RegExp(`^${name}=\\(set\\)$`, 'm'))
      expect(text).not.toContain(value)
    }
    expect(text).not.toContain('database-password')
    expectRefused(await lecternCommand(['config'], { PORT: 'x' }), 'PORT is "x"', 2)
  })
})
