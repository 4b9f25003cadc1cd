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
