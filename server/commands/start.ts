import { type Config, readConfig } from '../config.ts'
import { createLogger } from '../http/observe.ts'
import type { FirstOperator } from '../identity/firstOperator.ts'
import { start } from '../start.ts'
import { print } from './output.ts'
import { shrinkHeap } from './shrinkHeap.ts'

const STOP_WITHIN_MS = 15_000
/** With one node nobody else could answer meanwhile; a balancer needs the time to see that we are going. */
const drainSecondsOf = ({ drainSeconds, databaseUrl }: Config) => drainSeconds ?? (databaseUrl ? 10 : 0.3)
/** A terminal signals all of its group, and npm passes on what it got: that is one signal, come twice. */
const SAME_SIGNAL_MS = 500
/** Whoever waited for the start is served first. */
const SHRINK_AFTER_MS = 30_000

const show = (value: object, ...lines: string[]) => print(value, `\n${lines.map(line => `  ${line}\n`).join('')}`)

const showFirstOperator = ({ email, password }: FirstOperator) =>
  show(
    { operator: { email, password } },
    'Operator account created:',
    `  email     ${email}`,
    `  password  ${password ?? '(from LECTERN_ADMIN_PASSWORD)'}`,
    ...(password ? ['The password won’t be shown again. Change it after signing in.'] : []),
  )

export const startCommand = async () => {
  const config = readConfig(process.env)
  const logger = createLogger(config)
  const { url, stop } = await start(config, logger, { onFirstOperator: showFirstOperator })
  let stoppingSince: number | null = null
  const end = async (signal: string) => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1)
      return
    }
    stoppingSince = performance.now()
    const drainSeconds = drainSecondsOf(config)
    logger.info({ signal, drainSeconds }, 'stopping: finishing requests in progress; a second signal exits immediately')
    // Connections still open by then are cut off; nothing acknowledged depends on them.
    setTimeout(() => process.exit(1), drainSeconds * 1000 + STOP_WITHIN_MS).unref()
    await stop(drainSeconds * 1000)
    logger.info('stopped')
    logger.flush()
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  setTimeout(shrinkHeap, SHRINK_AFTER_MS).unref()
  show({ url }, 'Lectern is ready', `Console             ${url}`, `API reference       ${url}/docs`)
}
