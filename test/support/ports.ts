import { type AddressInfo, createServer } from 'node:net'

/** A port that another program has until it is closed. */
export const takePort = () =>
  new Promise<{ port: number; close: () => Promise<void> }>(taken => {
    const server = createServer().listen(0, '127.0.0.1', () =>
      taken({
        port: (server.address() as AddressInfo).port,
        close: () => new Promise(closed => server.close(() => closed())),
      }),
    )
  })

/** For whoever must know the port beforehand; where 0 will do, it is better. */
export const freePort = async () => {
  const { port, close } = await takePort()
  await close()
  return port
}
