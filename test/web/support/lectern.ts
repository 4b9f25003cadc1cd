import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { type Client, createClient } from '../../../client/client.ts'

const program = resolve(import.meta.dirname, '../../../bin/lectern.js')
const axe = readFileSync(resolve(import.meta.dirname, '../../../node_modules/axe-core/axe.min.js'), 'utf8')
export const OPERATOR = { email: 'operator@lectern.example', password: 'operator password' }

export interface Installation {
  url: string
  /** Signed in as the operator, for what a test needs beforehand. */
  operator: Client
  /** The process, whose child the media engine is. */
  pid: number
  /** Its data folder. */
  data: string
}

/** `lectern start` as an operator runs it, with an empty data folder. */
export const startLectern = async (environment: Record<string, string>) => {
  const data = mkdtempSync(join(tmpdir(), 'lectern-web-'))
  const child = spawn(process.execPath, [program, 'start'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      LECTERN_DATA: data,
      LECTERN_ADMIN_EMAIL: OPERATOR.email,
      LECTERN_ADMIN_PASSWORD: OPERATOR.password,
      LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  const url = await new Promise<string>((ready, fail) => {
    child.stdout.setEncoding('utf8').on('data', chunk => {
      output += chunk
      const [, found] = /Console +(\S+)\s/.exec(output) ?? []
      if (found) ready(found)
    })
    child.once('close', code => fail(new Error(`lectern ended with ${code}: ${output}`)))
  })
  const operator = createClient({ baseUrl: url })
  await operator.signIn(OPERATOR.email, OPERATOR.password)
  const stop = async () => {
    const ended = new Promise(done => child.once('close', done))
    child.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
  return { url, operator, pid: child.pid ?? 0, data, stop }
}

/** As when it crashes: the service starts it anew. */
export const killEngine = ({ pid }: Installation) =>
  process.kill(Number(execFileSync('pgrep', ['-P', String(pid), 'livekit']).toString()), 'SIGKILL')

/**
 * Cameras and screens give pictures of 180 lines and microphones sound as it is, whatever the page asks for: most of what
 * a browser test would take is encoding, and cleaning the sound of a voice.
 */
export const withSmallPictures = (context: BrowserContext) =>
  context.addInitScript(() => {
    // On a page without https there are none.
    if (!navigator.mediaDevices) return
    const small = { width: 320, height: 180 }
    const share = navigator.mediaDevices.getDisplayMedia.bind(navigator.mediaDevices)
    navigator.mediaDevices.getDisplayMedia = () => share({ video: { ...small, frameRate: 5 } })
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
    navigator.mediaDevices.getUserMedia = constraints => {
      const { audio, video } = constraints ?? {}
      const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false, voiceIsolation: false }
      return open({
        ...constraints,
        ...(audio && { audio: { ...(typeof audio === 'object' && audio), ...plain } }),
        ...(video && { video: { ...(typeof video === 'object' && video), ...small } }),
      })
    }
  })

/** Until the engine can be joined; on a machine that has never built it, this takes minutes. */
const untilMediaIsReady = async (url: string) => {
  for (;;) {
    const { media } = (await (await fetch(`${url}/readyz`)).json()) as { media: string }
    if (media === 'ready' || media === 'off') return
    if (media === 'failed') throw new Error('the media engine could not be started')
    await new Promise(done => setTimeout(done, 250))
  }
}

/**
 * One installation for all tests of a worker; each makes spaces and users of its own. A file that needs other settings
 * says so with `test.use({ environment })`, and gets an installation of its own.
 */
export const test = base.extend<object, { environment: Record<string, string>; lectern: Installation }>({
  context: async ({ context }, use) => {
    await withSmallPictures(context)
    await use(context)
  },
  environment: [{}, { scope: 'worker', option: true }],
  lectern: [
    async ({ environment }, use) => {
      const { stop, ...installation } = await startLectern(environment)
      await untilMediaIsReady(installation.url)
      await use(installation)
      await stop()
    },
    { scope: 'worker', timeout: 600_000 },
  ],
})

/** Fails on whatever the browser complains about. To be called before the page is opened. */
export const watchForComplaints = (page: Page): string[] => {
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(String(error)))
  return complaints
}

export const PHONE = { width: 360, height: 740 }
export const DESKTOP = { width: 1280, height: 800 }

/** One frame in which the page hears of a change, and one in which it begins to follow. */
export const untilNoticed = (page: Page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  })

/** What passes has passed. What goes round for ever, such as a sign of waiting, goes on. */
const untilStill = async (page: Page) => {
  await untilNoticed(page)
  await page.evaluate(async () => {
    const passing = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
    await Promise.allSettled(passing.map(({ finished }) => finished))
  })
}

export const showIn = async (page: Page, colorScheme: 'light' | 'dark') => {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
}

/** By all rules, or by those named. */
export const expectAccessible = async (page: Page, ...rules: string[]) => {
  // Half way from one colour to another, nothing contrasts.
  await untilStill(page)
  // Once for each document. Its wrapper for Playwright would load it again for each check, and open a page for the result.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  const violations = await page.evaluate(async only => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    return (await axe.run(document, { resultTypes: ['violations'], ...(only.length > 0 && { runOnly: only }) }))
      .violations
  }, rules)
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
}

export { expect }
