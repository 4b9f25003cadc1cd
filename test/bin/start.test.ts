import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ENGINE_WITHIN_MS, untilMedia } from '../support/live.ts'
import { isLong } from '../support/long.ts'
import { isRunning, launchProgram, readyAt, temporaryFolder } from '../support/process.ts'

/* `npm start`, as an operator runs it. */

const settings = (data: string) => ({ PORT: '0', LECTERN_DATA: data, LECTERN_ADMIN_PASSWORD: 'operator password' })

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(text => text !== '')
    .map(Number)

const nameOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')

/** As a supervisor ends it, and as a terminal does; each of them as the other does. */
const ends = [
  ['SIGTERM', 'npm alone'],
  ['SIGINT', 'all of its group'],
  ['SIGINT', 'npm alone'],
  ['SIGTERM', 'all of its group'],
] as const

test.each(isLong ? ends : ends.slice(0, 2))(
  '%s to %s ends npm, the service and the engine',
  async (signal, whom) => {
    const data = temporaryFolder()
    const started = launchProgram('npm', ['start'], { ...settings(data), LECTERN_MEDIA: 'on' }, { detached: true })
    const npm = started.child.pid as number
    await untilMedia(await readyAt(started), 'ready', ENGINE_WITHIN_MS)

    // One process from npm on: no shell that would die and leave the rest behind, and no builder.
    const [service = 0, ...others] = childrenOf(npm)
    expect(others).toEqual([])
    expect(nameOf(service)).toMatch(/node.*--max-semi-space-size=4 bin\/start\.js/)
    const engine = Number(readFileSync(join(data, 'livekit.pid'), 'utf8'))
    expect(childrenOf(service)).toEqual([engine])

    process.kill(whom === 'npm alone' ? npm : -npm, signal)
    const { code, stdout, stderr } = await started.ended
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('"msg":"stopped"')
    expect(stdout).not.toContain('"level":"error"')
    expect([service, engine].filter(isRunning)).toEqual([])
  },
  ENGINE_WITHIN_MS,
)

test('a built tree that is read-only starts', async () => {
  const readOnly =
    'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && ! touch README.md && exec npm start'
  const started = launchProgram(
    'unshare',
    ['--mount', '--map-root-user', 'sh', '-ec', readOnly, 'sh', process.cwd()],
    { ...settings(temporaryFolder()), LECTERN_MEDIA: 'off' },
    { detached: true },
  )
  const page = await fetch(await readyAt(started))
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  started.child.kill('SIGTERM')
  expect((await started.ended).code).toBe(0)
})

/** The way from npm to the service, with another builder and a service that says that it was started. */
const treeWith = (build: string) => {
  const tree = temporaryFolder()
  for (const folder of ['bin', 'web']) mkdirSync(join(tree, folder))
  copyFileSync('bin/start.js', join(tree, 'bin/start.js'))
  writeFileSync(join(tree, 'bin/lectern.js'), "console.log('started', ...process.argv.slice(2))")
  writeFileSync(join(tree, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(tree, 'web/build.ts'), build)
  return launchProgram(process.execPath, [join(tree, 'bin/start.js')], {}, { detached: true })
}

test('it starts once the pages are built', async () => {
  const { ended } = treeWith("console.log('built')")
  expect(await ended).toMatchObject({ code: 0, stdout: 'built\nstarted start\n' })
})

test('a signal while the pages are built ends the builder too, and nothing is started', async () => {
  const { child, output, ended } = treeWith('console.log(process.pid)\nsetInterval(() => {}, 1000)')
  await vi.waitFor(() => expect(output.stdout).toMatch(/\d+\n/), { timeout: 10_000 })
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ signal: 'SIGTERM', stdout: expect.not.stringContaining('started') })
  expect(isRunning(Number(output.stdout))).toBe(false)
})

test('pages that cannot be built are the end of it', async () => {
  const { ended } = treeWith('process.exit(3)')
  expect(await ended).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('pages could not be built'),
  })
})
