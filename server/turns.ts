/** Work under one name runs one at a time, in the order it came. */
export const createQueues = () => {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const mine = Promise.resolve(last.get(name)).then(work)
    const over = mine.catch(() => {})
    last.set(name, over)
    try {
      return await mine
    } finally {
      if (last.get(name) === over) last.delete(name)
    }
  }
}

interface Turn {
  running: Promise<void>
  next: Promise<void> | null
}

/**
 * Work under one name runs one at a time, so that what looked last has the last word. Whoever asks while a run waits
 * for its turn shares it: it has looked at nothing yet. It is told whether it had to wait, since what was known when it
 * was asked for may then have changed.
 */
export const createTurns = () => {
  const turns = new Map<string, Turn>()

  return (name: string, work: (hasWaited: boolean) => Promise<void>): Promise<void> => {
    const run = (hasWaited: boolean): Promise<void> => {
      const turn: Turn = { running: Promise.resolve(), next: null }
      turns.set(name, turn)
      turn.running = work(hasWaited).finally(() => {
        if (turn.next === null) turns.delete(name)
      })
      return turn.running
    }
    const turn = turns.get(name)
    if (!turn) return run(false)
    const runAfter = () => run(true)
    turn.next ??= turn.running.then(runAfter, runAfter)
    return turn.next
  }
}
