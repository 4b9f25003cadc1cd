import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { launchEngine, readAccess } from '../../../server/media/launch.ts'
import { temporaryFolder } from '../../support/process.ts'

/** Ends at once the first time, as an engine does whose port was taken meanwhile. */
const unluckyEngine = (folder: string) => {
  const [program, ports] = [join(folder, 'engine'), join(folder, 'ports')]
  const script = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs')
const { port } = JSON.parse(readFileSync(process.argv[3]))
appendFileSync(${JSON.stringify(ports)}, port + ' ')
if (readFileSync(${JSON.stringify(ports)}, 'utf8').trim() === String(port)) process.exit(1)
require('node:http').createServer((_, response) => response.end()).listen(port, '127.0.0.1')
`
  writeFileSync(program, script, { mode: 0o755 })
  return { program, ports: () => readFileSync(ports, 'utf8').trim().split(' ') }
}

test('an engine that could not start is tried on other ports', async () => {
  const folder = temporaryFolder()
  const { program, ports } = unluckyEngine(folder)
  const states: [string, string][] = []
  const { stop } = await launchEngine({
    program,
    folder,
    mediaIp: '127.0.0.1',
    mediaPorts: null,
    eventsUrl: 'http://127.0.0.1:9/',
    log: pino({ level: 'silent' }),
    onState: (state, { url }) => void states.push([state, url]),
  })
  onTestFinished(stop)
  await vi.waitFor(() => expect(states.at(-1)?.[0]).toBe('ready'), { timeout: 20_000 })
  const [taken, used] = ports().map(port => `http://127.0.0.1:${port}`)
  expect(used).not.toBe(taken)
  expect(states).toEqual([
    ['starting', taken],
    ['starting', used],
    ['ready', used],
  ])
  expect(readAccess(folder)?.url).toBe(used)
})
