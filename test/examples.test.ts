import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from './integrators/programs.ts'
import { startLectern } from './support/lectern.ts'
import { expectLesson, playLesson } from './support/lesson.ts'
import { isLong } from './support/long.ts'
import { pythonTools } from './support/tools.ts'

/* The example in JavaScript is tried with the package of the client (test/client/package.test.ts). */

test.runIf(isLong)(
  'the example in Python runs with a client generated from the description',
  async () => {
    const environment = { PYTHONPATH: pythonTools() }
    const lectern = await startLectern({ LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
    const project = mkdtempSync(join(tmpdir(), 'lectern-python-'))
    try {
      writeFileSync(join(project, 'openapi.json'), await (await fetch(`${lectern.url}/openapi.json`)).text())
      writeFileSync(join(project, 'config.json'), '{"post_hooks": []}')
      const generate = 'generate --path openapi.json --meta none --config config.json --output-path lectern_client'
      const args = ['-m', 'openapi_python_client', ...generate.split(' ')]
      expect(await runProgram('python3', args, project, environment)).not.toMatch(/warning/i)
      copyFileSync('examples/lms.py', join(project, 'lms.py'))
      expectLesson(await playLesson(lectern, ['python3', 'lms.py'], { cwd: project, ...environment }))
    } finally {
      rmSync(project, { recursive: true, force: true })
    }
  },
  120_000,
)
