import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { capturesOf } from '../../../server/recording/captures.ts'
import { chromiumRecorderOf } from '../../../server/recording/chromium.ts'
import { folderStorage } from '../../../server/recording/folder.ts'
import { isLong } from '../../support/long.ts'
import { temporaryFolder } from '../../support/process.ts'

const never = new AbortController().signal

/** A recorder with a folder of its own, and what it logs. */
const startRecorder = (settings: Record<string, string> = {}) => {
  const folder = temporaryFolder()
  const config = readConfig({ LECTERN_RECORDS: folder, LECTERN_CACHE: temporaryFolder(), ...settings })
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: line => void lines.push(line) })
  const parts = { db: null as never, media: null as never, localOrigin: () => 'http://127.0.0.1:1', log }
  const recorder = chromiumRecorderOf(config, { captures: capturesOf(config, parts), log })
  return { recorder, folder, lines }
}

test('what was captured stays until it is discarded, though it was stored as it is', async () => {
  const { recorder, folder } = startRecorder()
  writeFileSync(join(folder, 'one.part'), 'captured')
  const kept = await recorder.keepAsIs('one')
  const storage = join(folder, 'kept')
  const place = await folderStorage(storage).keep('one', kept?.file ?? '', 'mp4', never)
  expect(statSync(storage).mode & 0o077).toBe(0)
  // The service ended before that was written down.
  expect(await recorder.hasCaptured('one')).toBe(true)
  await recorder.keepAsIs('one')
  await recorder.discard('one')
  expect([await recorder.hasCaptured('one'), readFileSync(join(storage, place), 'utf8')]).toEqual([false, 'captured'])
})

test('a recording whose picture ends early has a file, if no picture of it', async () => {
  const { recorder, folder } = startRecorder()
  const video = ['-f', 'lavfi', '-t', '0.5', '-i', 'color=s=64x36:r=30']
  const audio = ['-f', 'lavfi', '-t', '20', '-i', 'sine=r=48000']
  const to = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'libopus', '-movflags', 'frag_keyframe+empty_moov']
  execFileSync('ffmpeg', ['-v', 'error', ...video, ...audio, ...to, '-f', 'mp4', join(folder, 'one.part')])
  // What was once kept as it is can still be made a file of.
  await recorder.keepAsIs('one')
  const made = await recorder.finish('one', null, never)
  expect(made?.durationMs).toBeGreaterThan(15_000)
  expect(made?.picture && !existsSync(made.picture)).toBeFalsy()
})

test.runIf(isLong)('a disk that is full at the end of a file is told, though ffmpeg ends as if all were well', () => {
  const [folder, small] = [temporaryFolder(), temporaryFolder()]
  const from = join(folder, 'one.mp4')
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-t', '20', '-i', 'testsrc=s=320x180:r=30', from])
  const module = join(import.meta.dirname, '../../../server/recording/ffmpeg.ts')
  const call = [from, join(small, 'out.mp4')].map(file => JSON.stringify(file)).join(', ')
  const script = `import { makeMp4 } from ${JSON.stringify(module)}
    const made = makeMp4('ffmpeg', ${call}, null, new AbortController().signal)
    console.log(await made.then(() => 'made', error => error.message))`
  const size = Math.floor(statSync(from).size / 2)
  const mount = `mount -t tmpfs -o size=${size} tmpfs ${small} && exec "$0" --input-type=module -e "$1"`
  const inside = ['--map-root-user', '--mount', 'sh', '-c', mount, process.execPath, script]
  expect(execFileSync('unshare', inside, { encoding: 'utf8' })).toContain('No space left on device')
})

test('nothing is captured where no recorder is allowed, and none is said to be busy', () => {
  expect(startRecorder({ LECTERN_RECORDERS: '0' }).recorder.trouble()).toContain('LECTERN_RECORDERS')
})

test('what was captured long ago is found', async () => {
  const { recorder, folder } = startRecorder()
  for (const name of ['old.part', 'new.part', 'other.mp4']) writeFileSync(join(folder, name), 'captured')
  const before = new Date(Date.now() - 25 * 3600_000)
  for (const name of ['old.part', 'other.mp4']) utimesSync(join(folder, name), before, before)
  expect(await recorder.listOld()).toEqual(['old'])
})

/** A browser that is none. */
const captureBy = async (script: string) => {
  const program = join(temporaryFolder(), 'chromium')
  writeFileSync(program, script)
  chmodSync(program, 0o755)
  const { recorder, lines } = startRecorder({ LECTERN_CHROMIUM: program })
  const { began, ended } = recorder.capture({ id: 'one', callId: 'call', channelId: 'channel' })
  return { hasBegun: await began, end: await ended, logged: lines.join() }
}

test('a browser that does not start says why in the log', async () => {
  const script = '#!/bin/sh\necho "libnss3.so: cannot open shared object file" >&2\nexit 127\n'
  const { hasBegun, end, logged } = await captureBy(script)
  expect([hasBegun, end]).toEqual([false, 'not_started'])
  expect(logged).toContain('libnss3.so: cannot open shared object file')
})

/** Answers everything, and tells once the page is opened that recording has begun and ended. */
const endsByItself = `#!${process.execPath}
const { createReadStream, writeSync } = require('node:fs')
const say = message => writeSync(4, JSON.stringify(message) + '\\0')
const tell = type => say({ method: 'Runtime.bindingCalled', params: { payload: JSON.stringify({ type }) } })
let text = ''
createReadStream(null, { fd: 3 }).on('data', data => {
  const messages = (text + data).split('\\0')
  text = messages.pop()
  for (const { id, method } of messages.map(message => JSON.parse(message))) {
    say({ id, result: { targetInfos: [{ type: 'page', targetId: 'page' }], sessionId: 'session' } })
    if (method === 'Page.navigate') ['begun', 'done'].forEach(tell)
  }
})
`

test('a browser that ends the recording unasked was lost', async () => {
  expect(await captureBy(endsByItself)).toMatchObject({ hasBegun: true, end: 'recorder_lost' })
})
