import { defineConfig } from '@playwright/test'
import { browserProgram } from './test/support/chromium.ts'
import { isLong } from './test/support/long.ts'

/* The pages in Debian's Chromium, against the real service with the real engine. */
export default defineConfig({
  testDir: 'test/web',
  projects: [
    { name: 'tests', testMatch: '**/*.spec.ts', ...(!isLong && { grepInvert: /@long/ }) },
    // `npm run screenshots`: pictures to look at, into screenshots/.
    { name: 'screenshots', testMatch: '**/*.shots.ts' },
  ],
  outputDir: 'node_modules/.cache/playwright',
  // Pages wait for the service, the engine and each other about a third of the time; calls of several browsers do not.
  workers: isLong ? 2 : 3,
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  use: {
    locale: 'en-GB',
    // What moves is drawn again and again, in software.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: browserProgram,
      args: [
        '--no-sandbox',
        // Few pictures a second: several browsers share the processors of one machine.
        '--use-fake-device-for-media-stream=fps=5,device-count=2',
        '--use-fake-ui-for-media-stream',
        '--auto-select-desktop-capture-source=Entire screen',
        '--autoplay-policy=no-user-gesture-required',
      ],
    },
  },
})
