export interface Clock {
  now: () => number
  /** Compares it with the clock that `read` asks. */
  set: (read: () => Promise<number>) => Promise<void>
}

/**
 * Runs with this machine's steady clock, which nobody sets, and is set by another's. It steps only when it is surely
 * wrong: by more than the time it took to ask.
 */
export const createClock = (steady: () => number = () => performance.now()): Clock => {
  let offset: number | undefined
  return {
    now() {
      if (offset === undefined) throw new Error('the clock has not been set')
      return Math.floor(steady() + offset)
    },
    async set(read) {
      const asked = steady()
      const time = await read()
      const told = steady()
      const found = time - (asked + told) / 2
      if (offset === undefined || Math.abs(found - offset) > told - asked) offset = found
    },
  }
}
