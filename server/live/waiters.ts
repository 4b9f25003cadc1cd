import { setTimeout as sleep } from 'node:timers/promises'

/** Held requests of people who ask to be let in. What was decided is in the database: this only says when to look. */
export interface Waiters {
  /** From now on. `end` it, whatever comes. */
  listen: (roomId: string, person: string) => Listening
  /** Something was decided about the person, or about everyone who waits there. */
  wake: (roomId: string, person: string | null) => void
  wakeAll: () => void
}

interface Listening {
  /** Until something is decided, the time is over, or nobody is there to be told. */
  wait: (ms: number, gone: AbortSignal) => Promise<void>
  end: () => void
}

interface Waiter {
  person: string
  woken: AbortController
}

export const createWaiters = (): Waiters => {
  const rooms = new Map<string, Set<Waiter>>()
  const wake = (roomId: string, person: string | null) => {
    for (const waiter of rooms.get(roomId) ?? []) if (person === null || waiter.person === person) waiter.woken.abort()
  }
  return {
    listen(roomId, person) {
      const waiter: Waiter = { person, woken: new AbortController() }
      const waiters = rooms.get(roomId) ?? new Set()
      rooms.set(roomId, waiters.add(waiter))
      return {
        wait: (ms, gone) =>
          sleep(ms, undefined, { signal: AbortSignal.any([waiter.woken.signal, gone]) }).catch(() => {}),
        end() {
          waiters.delete(waiter)
          if (waiters.size === 0 && rooms.get(roomId) === waiters) rooms.delete(roomId)
        },
      }
    },
    wake,
    wakeAll() {
      for (const roomId of rooms.keys()) wake(roomId, null)
    },
  }
}
