interface LoginQueueOptions {
  /** So many turns may fail within `windowMs` of the first. After that the queue is slow until the window ends. */
  failures: number
  windowMs: number
  /** While it is slow one has a turn at a time, which takes at least so long, and no more than so many wait. */
  turnMs: number
  maxWaiting: number
  /** The error for an attempt that finds no room to wait. */
  tooManyWaiting: () => Error
}

/** A request for a turn. The lower the rank, the sooner; `gone` when nobody waits for the answer any more. */
interface Asking {
  name: string
  rank: number
  gone?: AbortSignal | undefined
}

interface Waiting extends Asking {
  begin: () => void
  refuse: (reason: Error) => void
}

/**
 * A queue for turns that may fail. As long as few have, turns run side by side, but never so many that they could fail
 * more often than allowed; then one by one. Under one name they always run one by one. (Written by hand: p-queue has a
 * fixed width and no names.)
 */
const createLoginQueue = (
  { failures, windowMs, turnMs, maxWaiting, tooManyWaiting }: LoginQueueOptions,
  onEmpty: () => void,
) => {
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
    if (isSlow()) for (const last of waiting.splice(maxWaiting)) last.refuse(tooManyWaiting())
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
        refuse(tooManyWaiting())
      })
      advance()
    })

  return async <T>({ name, rank, gone }: Asking, work: (fail: () => void) => Promise<T>): Promise<T> => {
    if (gone?.aborted) throw tooManyWaiting()
    // A second attempt under one name waits behind the first attempts of others.
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

/** A queue for each key; `work` is given what counts a failure. */
export const createLoginQueues = (options: LoginQueueOptions) => {
  const queues = new Map<string, ReturnType<typeof createLoginQueue>>()
  return <T>(key: string, asking: Asking, work: (fail: () => void) => Promise<T>): Promise<T> => {
    const queue = queues.get(key) ?? createLoginQueue(options, () => queues.delete(key))
    queues.set(key, queue)
    return queue(asking, work)
  }
}
