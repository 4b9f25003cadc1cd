import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

const LOOK_EVERY_MS = 1000
const ANSWERS_WITHIN_MS = 2000
/** One lost look is a busy moment; what is asked of a node that is away goes to the next one anyway. */
const AWAY_AFTER = 3

/** LiveKit says 406 of itself without its Redis, and a proxy 5xx of an engine that is away. */
const answers = async (url: string) => {
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
    return status !== 406 && status < 500
  } catch {
    return false
  }
}

export interface Nodes {
  /** All addresses, those that answer first; among them each has its turn to be the first. */
  inOrder: () => string[]
  stop: () => void
}

/** Looks at each node of an engine that is run elsewhere. `onChange` is told of every change whether any answers. */
export const watchNodes = (
  urls: string[],
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>,
  onChange: (anyAnswers: boolean) => void,
): Nodes => {
  const stopping = new AbortController()
  const isUp = new Map<string, boolean>()
  let turn = 0

  const note = (url: string, up: boolean) => {
    isUp.set(url, up)
    if (up) log.info(`the media engine at ${url} responds`)
    else log.warn(`the media engine at ${url} does not respond`)
    const states = [...isUp.values()]
    // Until all have been looked at, none is known to answer or not.
    if (states.includes(true) || states.length === new Set(urls).size) onChange(states.includes(true))
  }

  const watch = async (url: string) => {
    let failures = 0
    while (!stopping.signal.aborted) {
      const up = await answers(url)
      if (stopping.signal.aborted) return
      failures = up ? 0 : failures + 1
      const known = isUp.get(url)
      if (known !== up && (up || known === undefined || failures >= AWAY_AFTER)) note(url, up)
      await sleep(LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  for (const url of new Set(urls)) void watch(url)

  return {
    inOrder() {
      const first = turn++ % urls.length
      const turned = [...urls.slice(first), ...urls.slice(0, first)]
      return [...turned.filter(url => isUp.get(url)), ...turned.filter(url => !isUp.get(url))]
    },
    stop: () => stopping.abort(),
  }
}
