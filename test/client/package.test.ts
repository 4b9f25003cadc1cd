import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLectern } from '../support/lectern.ts'
import { expectLesson, playLesson } from '../support/lesson.ts'
import { isLong } from '../support/long.ts'

/* The client as others get it: packed, installed without anything else, compiled and run. */

const run = promisify(execFile)
const tsc = resolve('node_modules/.bin/tsc')
const project = mkdtempSync(join(tmpdir(), 'lectern-integrator-'))

beforeAll(async () => {
  // Whoever runs the tests with npx or npm hands down that install scripts are off; the package is built by one of ours.
  const pack = ['pack', '--silent', '--ignore-scripts=false', '--pack-destination', project]
  const { stdout } = await run('npm', pack, { cwd: 'client' })
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${stdout.trim()}`], { cwd: project })
}, 60_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

const compile = (source: string) => {
  writeFileSync(join(project, 'integrator.ts'), source)
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', '', '--lib', 'es2022,dom']
  return run(tsc, [...options, 'integrator.ts'], { cwd: project }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

const integrator = (url: string, password: string, receive: string) => `
import { createClient, LecternError, type Room, type Scope } from 'lectern-client'
import { verifyWebhook } from 'lectern-client/webhooks'

const client = createClient({ baseUrl: '${url}' })
await client.signIn('operator', '${password}')
const { id: spaceId } = await client.createSpaces({ name: 'School' })
for (const name of ['a', 'b', 'c']) await client.createRooms({ spaceId, name, type: 'lesson' })
const names: Room['name'][] = []
for await (const room of client.listRooms({ spaceId, limit: 2 })) names.push(room.name)
const refused = await client.getRoom({ spaceId, roomId: 'none' }).catch((error: unknown) => error)
const csv: Blob = await client.listSpaceAudit({ spaceId, format: 'csv' })
export const lists = async (scopes: Scope[], labels: string[]): Promise<string[]> => {
  await client.createPersonalToken({ name: 'Backend', scopes })
  await client.createInvites({ spaceId, role: 'role_space_user', labels })
  return (await client.getWebhookEvents({ spaceId })).events
}
const [raw, secret] = ${receive}
console.log(JSON.stringify({
  names,
  code: refused instanceof LecternError && refused.code,
  csv: csv.type,
  event: verifyWebhook(raw, secret)?.eventName,
}))
`

test('compiles in a strict project, and runs there', async () => {
  expect(existsSync(join(project, 'node_modules/lectern-client/dist/LICENSE'))).toBe(true)
  const lectern = await startLectern()
  const callback = `['{"body":{"eventName":"call_started","roomId":"r","spaceId":"s"},"signature":"580666b16a713ab0996c44d3e1127dde608bd554dcfb1e8b83a350e79bcedd72"}', 'whsec_key']`
  expect(await compile(integrator(lectern.url, lectern.operator.password, callback))).toBe('')
  const { stdout } = await run(process.execPath, ['integrator.js'], { cwd: project })
  expect(JSON.parse(stdout)).toEqual({
    names: ['c', 'b', 'a'],
    code: 'not_found',
    csv: 'text/csv;charset=utf-8',
    event: 'call_started',
  })
})

test.runIf(isLong)('knows what each operation takes and answers', async () => {
  const wrong = `
import { createClient } from 'lectern-client'
import { verifyWebhook } from 'lectern-client/webhooks'
const client = createClient({ baseUrl: 'http://localhost' })
client.createRooms({ spaceId: 's', name: 'Room', type: 'opera' })
client.getRoom({ spaceId: 's' })
client.listRooms({ spaceId: 's' }).then(page => page.items[0]?.colour)
const event = verifyWebhook('', 'secret')
if (event?.eventName === 'role_granted') console.log(event.role, event.colour)
`
  const complaints = await compile(wrong)
  expect(complaints.match(/error TS\d+/g)).toEqual(['error TS2322', 'error TS2741', 'error TS2339', 'error TS2339'])
})

test('does the whole round of a school’s backend', async () => {
  const lectern = await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
  copyFileSync('examples/lms.mjs', join(project, 'lms.mjs'))
  expectLesson(await playLesson(lectern, [process.execPath, 'lms.mjs'], { cwd: project }))
})
