import { expect, test } from 'vitest'
import { createClock } from '../../../server/cluster/clock.ts'

const HOUR = 3_600_000

/** A machine whose steady clock a test moves, and a server that takes `delay` to answer. */
const setUp = () => {
  let steady = 5000
  let server = 1_700_000_000_000
  const clock = createClock(() => steady)
  const pass = (milliseconds: number) => {
    steady += milliseconds
    server += milliseconds
  }
  return {
    clock,
    pass,
    server: () => server,
    setServer: (time: number) => {
      server = time
    },
    ask: (delay: number) =>
      clock.set(async () => {
        pass(delay / 2)
        const time = server
        pass(delay / 2)
        return time
      }),
  }
}

test('tells no time before it is set', () => {
  expect(setUp().clock.now).toThrow('has not been set')
})

test('tells the time of the other, and runs with its own steady clock in between', async () => {
  const { clock, pass, ask, server } = setUp()
  await ask(10)
  expect(clock.now()).toBe(server())
  pass(1234.5)
  expect(clock.now()).toBe(Math.floor(server()))
})

test('does not step for what may be the way of the answer', async () => {
  const { clock, ask, server, setServer } = setUp()
  await ask(2)
  setServer(server() + 30)
  const before = clock.now()
  await ask(40)
  expect(clock.now()).toBe(before + 40)
  await ask(20)
  expect(clock.now()).toBe(server())
})

test('follows the other back, too', async () => {
  const { clock, ask, server, setServer } = setUp()
  await ask(2)
  setServer(server() - HOUR)
  await ask(2)
  expect(clock.now()).toBe(server())
})
