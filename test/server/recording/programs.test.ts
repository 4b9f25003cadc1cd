import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withoutSettings } from '../../../server/media/run.ts'
import { findPrograms } from '../../../server/recording/programs.ts'
import { temporaryFolder } from '../../support/process.ts'

const programIn = (folder: string, name: string, mode = 0o755) => {
  writeFileSync(join(folder, name), '', { mode })
  return join(folder, name)
}
const none = { chromium: null, ffmpeg: null }

test('finds the programs on PATH, or where settings say, and says what is missing', () => {
  const [first, second] = [temporaryFolder(), temporaryFolder()]
  const path = `${first}:${second}`
  expect(findPrograms(none, path)).toEqual({
    missing:
      'To record calls, install Chromium and ffmpeg (on Debian: apt-get install chromium ffmpeg), or set LECTERN_CHROMIUM and LECTERN_FFMPEG to where they are.',
  })
  // Not one that can be run.
  programIn(first, 'ffmpeg', 0o644)
  const ffmpeg = programIn(second, 'ffmpeg')
  expect(findPrograms(none, path)).toEqual({ missing: expect.stringContaining('install Chromium (on Debian') })
  const chrome = programIn(second, 'google-chrome')
  expect(findPrograms(none, path)).toEqual({ chromium: chrome, ffmpeg })
  const own = programIn(first, 'my-browser')
  expect(findPrograms({ ...none, chromium: own }, path)).toEqual({ chromium: own, ffmpeg })
  expect(findPrograms({ ...none, chromium: 'my-browser' }, path)).toEqual({ chromium: own, ffmpeg })
  // Another is not taken instead.
  expect(findPrograms({ ...none, chromium: '/no/browser' }, path)).toEqual({
    missing: expect.stringContaining('LECTERN_CHROMIUM'),
  })
})

test('gives the programs none of our settings', () => {
  const names = Object.keys(withoutSettings({ HOME: '/somewhere' }))
  expect(names.filter(name => /^(LECTERN_|DATABASE_URL)/.test(name))).toEqual([])
  expect(withoutSettings().PATH).toBe(process.env.PATH)
})
