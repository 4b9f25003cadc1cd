import { expect, test } from 'vitest'
import { launchProgram, readyAt, temporaryFolder } from '../support/process.ts'

test('the service strips nothing itself: that was done when it was built', async () => {
  const cache = { NODE_COMPILE_CACHE: temporaryFolder() }
  const built = launchProgram(process.execPath, ['bin/build.js'], cache)
  expect((await built.ended).code).toBe(0)

  const settings = { PORT: '0', LECTERN_DATA: temporaryFolder(), LECTERN_MEDIA: 'off' }
  const started = launchProgram(process.execPath, ['bin/lectern.js', 'start'], {
    ...settings,
    ...cache,
    NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
  })
  await readyAt(started)
  started.child.kill('SIGTERM')
  const { stdout, stderr } = await started.ended
  const looked = `${stdout}${stderr}`.match(/reading cache .* for StrippedTypeScript .*/g) ?? []
  expect(looked.length).toBeGreaterThan(100)
  expect(looked.filter(line => !line.includes('success'))).toEqual([])
})
