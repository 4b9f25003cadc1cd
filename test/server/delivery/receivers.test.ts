import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type LecternWithEvents, withEvents } from '../../support/events.ts'
import { type Person, startLectern } from '../../support/lectern.ts'
import { temporaryFolder } from '../../support/process.ts'

/* Receivers written from interface.md §6 alone, in other languages, judge real callbacks. */

let lectern: LecternWithEvents
let owner: Person

beforeAll(async () => {
  lectern = withEvents(await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1', LECTERN_WEBHOOK_SCHEDULE: '0,0,0' }))
  owner = await lectern.user()
})
afterAll(() => lectern.stop())

const file = (name: string) => join(import.meta.dirname, 'receivers', name)
const isThere = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

/** The address of a receiver in a process of its own. */
const listen = async (child: ChildProcess): Promise<string> => {
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', chunk => (output += chunk))
  child.stderr?.setEncoding('utf8').on('data', chunk => (output += chunk))
  return vi.waitFor(
    () => {
      const [, port] = /listening on (\d+)/.exec(output) ?? []
      if (!port) throw new Error(`no receiver: ${output}`)
      return `http://127.0.0.1:${port}`
    },
    { timeout: 10_000, interval: 20 },
  )
}

const run = (command: string, args: string[], secret: string) =>
  listen(spawn(command, args, { env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' }, stdio: 'pipe' }))

/** Callbacks of all kinds reach a receiver that has the secret; one that has not refuses them. */
const judge = async (start: (secret: string) => Promise<string>) => {
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { secret } = await owner.createWebhook({ spaceId, url: 'http://127.0.0.1:1' })
  const url = await start(secret)
  await owner.updateWebhook({ spaceId, url, isActive: true })
  await owner.setWebhookEvents({
    spaceId,
    events: ['call_started', 'call_finished', 'participant_joined', 'participant_left'],
  })
  await owner.testWebhook({ spaceId })
  await lectern.record(spaceId)
  await lectern.record(spaceId, { eventName: 'call_finished' })
  for (const name of [
    'Ann',
    'Zoë Ünïcode',
    '"quoted" \\ and / and </script> & <b> \u007f',
    '教師 😀 \u2028\u2029 \u00a0\ufeff',
    'עברית العربية',
    '1e3',
  ])
    await lectern.record(spaceId, { eventName: 'participant_joined', participantId: '7', name, externalUserId: '' })
  const states = async () =>
    (await owner.listDeliveries({ spaceId })).items.map(({ state, attempts }) => `${state} ${attempts.at(-1)?.status}`)
  await vi.waitFor(async () => expect(await states()).toEqual(Array(9).fill('delivered 204')), { timeout: 15_000 })
  await owner.refreshSecret({ spaceId })
  const { id } = await owner.testWebhook({ spaceId })
  await vi.waitFor(
    async () => {
      const { state, attempts } = await owner.getDelivery({ spaceId, deliveryId: id })
      expect([state, ...attempts.map(({ status }) => status)]).toEqual(['failed', 401, 401, 401])
    },
    { timeout: 15_000 },
  )
  // Nor anything that is no callback at all.
  for (const body of ['', '{}', '[]', '7', 'null', '{"body":{},"signature":7}', '{"body":{},"signature":"é"}', '{"x'])
    expect((await fetch(url, { method: 'POST', body })).status).toBe(401)
}

const missing = (what: string) => new Error(`${what} is missing: a receiver in this language cannot be tried`)

describe('a receiver that knows only the interface', () => {
  test('in JavaScript', () => judge(secret => run(process.execPath, [file('receiver.mjs')], secret)))

  test('in Python', async () => {
    if (!isThere('python3', '--version')) throw missing('python3')
    await judge(secret => run('python3', [file('receiver.py')], secret))
  })

  test('in Go', async () => {
    if (!isThere('go', 'version')) throw missing('go')
    const program = join(temporaryFolder(), 'receiver')
    await promisify(execFile)('go', ['build', '-o', program, file('receiver.go')])
    await judge(secret => run(program, [], secret))
  }, 120_000)

  test('in PHP', async () => {
    if (!isThere('php', '--version')) throw missing('php')
    await judge(async secret => {
      // Its server does not choose a port by itself.
      const port = await new Promise<number>(found => {
        const server = createServer().listen(0, '127.0.0.1', () => {
          const { port } = server.address() as { port: number }
          server.close(() => found(port))
        })
      })
      const child = spawn('php', ['-S', `127.0.0.1:${port}`, file('receiver.php')], {
        env: { ...process.env, WEBHOOK_SECRET: secret },
        stdio: 'ignore',
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      const url = `http://127.0.0.1:${port}`
      for (const until = Date.now() + 10_000; ; await wait(50)) {
        const answer = await fetch(url, { method: 'POST' }).catch(() => null)
        if (answer) return url
        if (Date.now() > until) throw new Error('php does not listen')
      }
    })
  })
})
