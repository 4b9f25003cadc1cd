import { readConfig } from '../config.ts'
import { createLogger } from '../observe.ts'
import { start } from '../start.ts'

const STOP_WITHIN_MS = 15_000
const DRAIN_MS = 300

export const startCommand = async () => {
  const config = readConfig(process.env)
  const logger = createLogger(config)
  const { url, firstOperator, stop } = await start(config, logger)

  const lines = ['', '  Lectern is ready', `  Console             ${url}`, `  Reference           ${url}/docs`]
  if (firstOperator)
    lines.push(
      '',
      '  The operator’s account has been made:',
      `    e-mail    ${firstOperator.email}`,
      firstOperator.password
        ? `    password  ${firstOperator.password}`
        : '    password  as given in LECTERN_ADMIN_PASSWORD',
      ...(firstOperator.password ? ['  The password is shown this once. Change it after signing in.'] : []),
    )
  process.stdout.write(`${lines.join('\n')}\n\n`)

  let stopping = false
  const end = async (signal: string) => {
    if (stopping) return
    stopping = true
    logger.info({ signal }, 'stopping: requests under way are answered first')
    // Whoever still hangs on by then is cut off; nothing acknowledged depends on it.
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    await stop(DRAIN_MS)
    logger.info('stopped')
    logger.flush()
  }
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
}
