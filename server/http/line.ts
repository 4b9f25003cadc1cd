export interface LineOptions {
  /** So many turns may fail within `windowMs` of the first. After that the line is slow until the window ends. */
  failures: number
  windowMs: number
  /** While it is slow one has a turn at a time, which takes at least so long, and no more than so many wait. */
  turnMs: number
  mostWaiting: number
  /** What those are told for whom there is no room to wait. */
  refusal: () => Error
}

/** Who asks for a turn. The lower the rank, the sooner; `gone` when nobody waits for the answer any more. */
export interface Asking {
  name: string
  rank: number
  gone?: AbortSignal | undefined
}

interface Waiting extends Asking {
  begin: () => void
  refuse: (reason: Error) => void
}

/**
 * A line for turns that may fail. As long as few have, turns run side by side, but never so many that they could fail
 * more often than allowed; then one by one. Under one name they always run one by one. (Written by hand: p-queue has a
 * fixed width and no names.)
 */
const createLine = ({ failures, windowMs, turnMs, mostWaiting, refusal }: LineOptions, onEmpty: () => void) => {
  let failed = 0
  let taken = 0
  const running = new Set<string>()
  const waiting: Waiting[] = []
  const isSlow = () => failed >= failures

  const advance = () => {
    const places = isSlow() ? 1 : failures - failed
    while (taken < places) {
      const index = waiting.findIndex(({ name }) => !running.has(name))
      const [next] = index < 0 ? [] : waiting.splice(index, 1)
      if (!next) break
      taken++
      running.add(next.name)
      next.begin()
    }
    if (isSlow()) for (const last of waiting.splice(mostWaiting)) last.refuse(refusal())
    if (taken === 0 && failed === 0) onEmpty()
  }

  const countFailure = () => {
    if (failed++ > 0) return
    setTimeout(() => {
      failed = 0
      advance()
    }, windowMs).unref()
  }

  const enter = (asking: Asking) =>
    new Promise<void>((begin, refuse) => {
      const mine: Waiting = { ...asking, begin, refuse }
      const next = waiting.findIndex(other => other.rank > asking.rank)
      waiting.splice(next < 0 ? waiting.length : next, 0, mine)
      asking.gone?.addEventListener('abort', () => {
        const place = waiting.indexOf(mine)
        if (place < 0) return
        waiting.splice(place, 1)
        refuse(refusal())
      })
      advance()
    })

  return async <T>({ name, rank, gone }: Asking, work: (fail: () => void) => Promise<T>): Promise<T> => {
    if (gone?.aborted) throw refusal()
    // Nobody has a second place in front of those who wait for their first.
    const isThere = running.has(name) || waiting.some(other => other.name === name)
    await enter({ name, rank: isThere ? Number.POSITIVE_INFINITY : rank, gone })
    const leave = () => {
      taken--
      advance()
    }
    const held = isSlow() && new Promise(resolve => setTimeout(resolve, turnMs))
    let hasFailed = false
    try {
      return await work(() => {
        hasFailed = true
      })
    } finally {
      running.delete(name)
      if (hasFailed) countFailure()
      if (held) held.then(leave)
      else leave()
    }
  }
}

/** A line for each key; `work` is given what counts a failure. */
export const createLines = (options: LineOptions) => {
  const lines = new Map<string, ReturnType<typeof createLine>>()
  return <T>(key: string, asking: Asking, work: (fail: () => void) => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? createLine(options, () => lines.delete(key))
    lines.set(key, line)
    return line(asking, work)
  }
}
