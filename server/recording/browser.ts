import { type ChildProcess, spawn } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { RecorderMessage, RecorderPage } from '../../contract/recorderPage.ts'
import { withoutSettings } from '../media/run.ts'
import { tiedToUs } from '../media/tied.ts'
import { connectDevtools } from './devtools.ts'

export interface BrowserOptions {
  program: string
  /** For its profile, its own. */
  folder: string
  url: string
  width: number
  height: number
  onMessage: (message: RecorderMessage) => void
  onLine: (line: string) => void
}

export interface Browser {
  /** Calls a function of the page, as if somebody had clicked there. */
  call: <N extends keyof RecorderPage>(name: N, ...args: Parameters<RecorderPage[N]>) => Promise<unknown>
  /** Also when its page has crashed. */
  ended: Promise<void>
  kill: () => void
}

/** Of shared memory. What a container has by default is too little for a browser. */
const ENOUGH_SHARED_BYTES = 256 * 2 ** 20

const hasSharedMemory = () => {
  try {
    const { bsize, blocks } = statfsSync('/dev/shm')
    return bsize * blocks >= ENOUGH_SHARED_BYTES
  } catch {
    return false
  }
}

/** What this machine, or who runs us, asks for. */
export const machineFlags = () => [
  ...(hasSharedMemory() ? [] : ['--disable-dev-shm-usage']),
  // Root has no sandbox.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
]

/** A home of its own: whoever runs us may have none that can be written to. Our secrets are none of its business. */
export const browserVariables = (folder: string) =>
  withoutSettings({ HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder })

const flags = ({ folder, url, width, height }: BrowserOptions) => {
  const { hostname, origin } = new URL(url)
  return [
    '--headless=new',
    '--remote-debugging-pipe',
    `--user-data-dir=${folder}`,
    `--window-size=${width},${height}`,
    // All of a screen of that size is the page's.
    `--screen-info={${width}x${height}}`,
    '--kiosk',
    // That a tab is shared, it would say in the picture.
    '--disable-infobars',
    '--hide-scrollbars',
    '--force-device-scale-factor=1',
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-extensions',
    '--disable-component-update',
    '--disable-sync',
    '--disable-background-networking',
    '--disable-features=Translate,MediaRouter,OptimizationHints',
    '--password-store=basic',
    '--auto-accept-this-tab-capture',
    '--autoplay-policy=no-user-gesture-required',
    '--disable-background-timer-throttling',
    '--disable-renderer-backgrounding',
    '--disable-backgrounding-occluded-windows',
    // A tab is captured only on a page that nobody in between can have changed: this machine's, or one said to be so.
    ...(hostname === '127.0.0.1' ? [] : [`--unsafely-treat-insecure-origin-as-secure=${origin}`]),
    ...machineFlags(),
    'about:blank',
  ]
}

const killGroup = (child: ChildProcess) => {
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** Opens the page in a browser of its own, which ends with us. */
export const openBrowser = (options: BrowserOptions): Browser => {
  const { program, folder, url, onMessage, onLine } = options
  const stdio = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] as const
  const child = spawn(...tiedToUs(program, flags(options), { stdio: [...stdio], env: browserVariables(folder) }))
  const [, , errors, input, output] = child.stdio as unknown as [null, null, Readable, Writable, Readable]
  createInterface({ input: errors }).on('line', onLine)
  const devtools = connectDevtools(input, output)
  const ended = new Promise<void>(resolve => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
  const kill = () => killGroup(child)
  // Some of it may be left.
  void ended.then(kill)

  let session: string | undefined
  const open = async () => {
    const { targetInfos } = await devtools.send<{ targetInfos: { type: string; targetId: string }[] }>(
      'Target.getTargets',
    )
    const page = targetInfos.find(({ type }) => type === 'page')
    const targetId =
      page?.targetId ??
      (await devtools.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })).targetId
    const attached = await devtools.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
    session = attached.sessionId
    devtools.on('Inspector.targetCrashed', kill)
    devtools.on('Runtime.bindingCalled', ({ payload }) => onMessage(JSON.parse(String(payload))))
    await devtools.send('Inspector.enable', {}, session)
    await devtools.send('Runtime.enable', {}, session)
    await devtools.send('Runtime.addBinding', { name: 'lecternTell' }, session)
    await devtools.send('Page.navigate', { url }, session)
  }
  open().catch(error => {
    onLine(String(error))
    kill()
  })

  return {
    ended,
    kill,
    async call(name, ...args) {
      const expression = `lecternRecorder.${name}(${args.map(arg => JSON.stringify(arg)).join(', ')})`
      const { exceptionDetails } = await devtools.send<{ exceptionDetails?: { exception?: { description?: string } } }>(
        'Runtime.evaluate',
        { expression, awaitPromise: true, userGesture: true },
        session,
      )
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'the page has failed')
    },
  }
}
