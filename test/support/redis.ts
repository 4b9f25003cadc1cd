import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { vi } from 'vitest'
import { closeAtTheEnd } from './closing.ts'
import { freePort } from './ports.ts'
import { temporaryFolder } from './process.ts'

const takesConnections = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve())
    socket.once('error', reject)
    socket.once('connect', () => socket.destroy())
  })

/** A server of the test's own, in memory alone. */
export const startRedis = async () => {
  const folder = temporaryFolder()
  const port = await freePort()
  let child: ChildProcess | undefined
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const start = async () => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
    child = spawn('redis-server', args, { stdio: 'ignore' })
    await vi.waitFor(() => takesConnections(port), { timeout: 10_000 })
  }
  closeAtTheEnd(stop)
  await start()
  return { address: `127.0.0.1:${port}`, start, stop }
}
