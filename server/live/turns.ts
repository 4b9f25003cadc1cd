interface Turn {
  running: Promise<void>
  next: Promise<void> | null
}

/**
 * Work under one name runs one at a time, so that what looked last has the last word. A call while a run waits
 * for its turn shares that run: it has looked at nothing yet. It is told whether it had to wait, since what was known when it
 * was asked for may then have changed. (Written by hand: p-queue would run what can be shared once for each call.)
 */
export const createTurns = () => {
  const turns = new Map<string, Turn>()

  const inTurn = (name: string, work: (hasWaited: boolean) => Promise<void>): Promise<void> => {
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

  return Object.assign(inTurn, { isRunning: (name: string) => turns.has(name) })
}
