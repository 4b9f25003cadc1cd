import type { FastifyBaseLogger } from 'fastify'
import type { MediaState } from './state.ts'

const LOG_EVERY_PERCENT = 10
const ERASE_LINE = '\u001b[2K'

export interface Terminal {
  isTTY?: boolean
  write: (text: string) => unknown
}

const isUnderWay = (state?: MediaState) => state?.status === 'downloading' || state?.status === 'preparing'

/**
 * Tells the operator how far the engine is: in a terminal by one line that renews itself, elsewhere by a log line every
 * ten per cent.
 */
export const createProgress = (log: Pick<FastifyBaseLogger, 'info'>, terminal: Terminal) => {
  let told: MediaState | undefined
  let tens = -1

  // The cursor goes back to the start of the line, so that a log line that comes between takes its place.
  const show = (text: string) => terminal.write(`${ERASE_LINE}  Media engine        ${text}\r`)
  const showReady = () => terminal.write(`${ERASE_LINE}  Media engine        ready\n`)

  const tellDownload = () => {
    if (terminal.isTTY) show('downloading Go to build it (first start only)')
    else log.info('media engine: downloading Go to build it')
  }

  const tellPercent = (percent: number) => {
    if (terminal.isTTY) return show(`building (first start only): ${percent} %`)
    if (Math.floor(percent / LOG_EVERY_PERCENT) === tens) return
    tens = Math.floor(percent / LOG_EVERY_PERCENT)
    log.info(`media engine: building ${percent} %`)
  }

  return (state: MediaState) => {
    if (state.status === 'downloading') tellDownload()
    else if (state.status === 'preparing') tellPercent(state.percent)
    else if (state.status === 'ready' && told?.status !== 'ready') {
      if (terminal.isTTY) showReady()
      else log.info('media engine ready')
    } else if (isUnderWay(told) && terminal.isTTY) terminal.write(ERASE_LINE)
    told = state
  }
}
