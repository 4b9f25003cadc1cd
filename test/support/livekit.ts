import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { livekitConfig } from '../../deploy/livekit.ts'
import { readConfig } from '../../server/config.ts'
import { provideEngine } from '../../server/media/provision.ts'
import { freePort } from './ports.ts'
import { temporaryFolder } from './process.ts'
import { restartable } from './restartable.ts'

/* Real engines that the service does not run itself, as docs/operating.md configures them. */

const secret = 'a secret that is long enough for it'
export const livekitKey = { LECTERN_LIVEKIT_API_KEY: 'lectern', LECTERN_LIVEKIT_API_SECRET: secret }

/** One that can be started, killed and started again. */
export const createLivekit = async (redis: string, eventsUrl: string) => {
  const program = await provideEngine(readConfig({}).cache, () => {}, new AbortController().signal)
  const [port, tcpPort, udpPort] = [await freePort(), await freePort(), await freePort()]
  const file = join(temporaryFolder(), 'livekit.yaml')
  writeFileSync(file, JSON.stringify(livekitConfig({ port, tcpPort, udpPort, redis, secret, eventsUrl })))
  const url = `http://127.0.0.1:${port}`
  const isUp = async () => expect((await fetch(url)).ok).toBe(true)
  return { url, ...restartable(program, ['--config', file], isUp) }
}
