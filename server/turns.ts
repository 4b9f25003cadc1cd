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
 * for its turn shares it: it has looked at nothing yet.
 */
export const createTurns = () => {
  const turns = new Map<string, Turn>()

  return (name: string, work: () => Promise<void>): Promise<void> => {
    const run = (): Promise<void> => {
      const turn: Turn = { running: Promise.resolve(), next: null }
      turns.set(name, turn)
      turn.running = work().finally(() => {
        if (turn.next === null) turns.delete(name)
      })
      return turn.running
    }
    const turn = turns.get(name)
    if (!turn) return run()
    turn.next ??= turn.running.then(run, run)
    return turn.next
  }
}
