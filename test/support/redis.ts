import { connect } from 'node:net'
import { freePort } from './ports.ts'
import { temporaryFolder } from './process.ts'
import { restartable } from './restartable.ts'

const takesConnections = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve())
    socket.once('error', reject)
    socket.once('connect', () => socket.destroy())
  })

/** A server of the test's own, in memory alone. */
export const startRedis = async () => {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', temporaryFolder(), '--save', '']
  const { start, kill } = restartable('redis-server', [...args, '--appendonly', 'no'], () => takesConnections(port))
  await start()
  return { address: `127.0.0.1:${port}`, start, stop: kill }
}
