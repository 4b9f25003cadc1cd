import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startLectern } from './support/lectern.ts'
import { expectLesson, playLesson } from './support/lesson.ts'
import { pythonPackages } from './support/python.ts'

/* The example in JavaScript is tried with the package of the client (test/client/package.test.ts). */

test('the example in Python runs with a client generated from the description', async () => {
  const environment = pythonPackages('openapi-python-client==0.29.1')
  const lectern = await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
  const project = mkdtempSync(join(tmpdir(), 'lectern-python-'))
  try {
    writeFileSync(join(project, 'openapi.json'), await (await fetch(`${lectern.url}/openapi.json`)).text())
    writeFileSync(join(project, 'config.json'), '{"post_hooks": []}')
    const generate = 'generate --path openapi.json --meta none --config config.json --output-path lectern_client'
    const { stdout } = await promisify(execFile)('python3', ['-m', 'openapi_python_client', ...generate.split(' ')], {
      cwd: project,
      env: { PATH: process.env.PATH, ...environment },
    })
    expect(stdout).not.toMatch(/warning/i)
    copyFileSync('examples/lms.py', join(project, 'lms.py'))
    expectLesson(await playLesson(lectern, ['python3', 'lms.py'], { cwd: project, ...environment }))
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}, 120_000)
