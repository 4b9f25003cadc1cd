import { randomUUID } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MediaEngine } from './engine.ts'
import type { MediaAddress } from './launch.ts'

const WITHIN_MS = 5000

/** Enters a channel of its own as a client does, until the engine itself counts us in. Throws what went wrong. */
export const probeSignalling = async (engine: MediaEngine, url: string) => {
  const [channelId, participantId] = [`check-${randomUUID()}`, randomUUID()]
  const rights = { camera: false, microphone: false, screen: false }
  const token = await engine.createToken(channelId, { participantId, name: 'check', rights, ticket: null })
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/rtc?access_token=${token}&protocol=15&auto_subscribe=1`)
  try {
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('message', () => resolve())
      socket.addEventListener('error', () => reject(new Error('it does not accept connections')))
      socket.addEventListener('close', ({ reason }) => reject(new Error(`it closed the connection ${reason}`)))
      setTimeout(() => reject(new Error('it accepted the connection but did not respond')), WITHIN_MS).unref()
    })
    const deadline = Date.now() + WITHIN_MS
    while (
      !(await engine.list([channelId])).get(channelId)?.some(presence => presence.participantId === participantId)
    ) {
      if (Date.now() > deadline) throw new Error('it accepted the connection but no one could join')
      await sleep(50)
    }
  } finally {
    socket.close()
    await engine.close(channelId)
  }
}

/** Throws unless something takes connections there. */
export const probeTcp = ({ ip, tcp }: Pick<MediaAddress, 'ip' | 'tcp'>) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ host: ip, port: tcp, timeout: WITHIN_MS })
    socket.once('connect', () => resolve())
    socket.once('timeout', () => reject(new Error('no response')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed')))
    socket.once('connect', () => socket.destroy())
  })

/** A machine says of a port where nothing listens that it is closed; silence is as much as media ever answers. */
const probeUdp = ({ ip, udp }: MediaAddress) =>
  new Promise<void>((resolve, reject) => {
    const socket = createSocket(ip.includes(':') ? 'udp6' : 'udp4')
    const end = (error?: Error) => {
      socket.close()
      if (error) reject(error)
      else resolve()
    }
    socket.once('error', end)
    socket.connect(udp, ip, () => {
      socket.send('')
      setTimeout(end, 300)
    })
  })

/** Throws unless media can reach the engine, as far as this machine can tell. */
export const probeMedia = async (address: MediaAddress) => {
  const fail = (port: string, error: Error) => {
    throw new Error(
      `media can’t reach ${address.ip} ${port} (${(error as NodeJS.ErrnoException).code ?? error.message}). Open it in the firewall and check LECTERN_MEDIA_IP`,
    )
  }
  await probeTcp(address).catch(error => fail(`port ${address.tcp} (TCP)`, error))
  await probeUdp(address).catch(error => fail(`port ${address.udp} (UDP)`, error))
}
