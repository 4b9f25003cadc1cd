import { type AddressInfo, createServer } from 'node:net'

const listenOn = (port: number) =>
  new Promise<{ port: number; close: () => Promise<void> }>((taken, fail) => {
    const server = createServer()
    server.once('error', fail)
    server.listen(port, '127.0.0.1', () =>
      taken({
        port: (server.address() as AddressInfo).port,
        close: () => new Promise(closed => server.close(() => closed())),
      }),
    )
  })

/** A port that another program has until it is closed. */
export const takePort = () => listenOn(0)

/** For whoever must know the port beforehand; where 0 will do, it is better. */
export const freePort = () => freePorts(1)

/** The first of so many that follow one another: below those that connections and port 0 get, which take any at any time. */
export const freePorts = async (count: number): Promise<number> => {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000)
    const taken = await Promise.allSettled(Array.from({ length: count }, (_, index) => listenOn(first + index)))
    const open = taken.filter(result => result.status === 'fulfilled').map(({ value }) => value)
    await Promise.all(open.map(({ close }) => close()))
    if (open.length === count) return first
  }
}
