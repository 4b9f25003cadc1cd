import { setTimeout as sleep } from 'node:timers/promises'
import { median, wallClock } from './clock.ts'
import { compare, type Request, send } from './load.ts'
import {
  cpuTime,
  type Service,
  startBullmq,
  startLectern,
  startReceiver,
  startRedis,
  temporaryFolder,
} from './processes.ts'
import { EVENTS } from './sizes.ts'

/** Events a second from the request that makes them to a receiver of their own, and the CPU time of each. */
const eventsOf = (service: Service, receiver: string, request: Request) => {
  const arrivals = async () =>
    (await (await fetch(`${receiver}/arrived`)).json()) as { arrived: number; lastAt: number }
  const cpu: number[] = []
  return {
    cpu: () => median(cpu),
    measure: async () => {
      const { arrived: before } = await arrivals()
      const cpuBefore = cpuTime(service.child)
      const started = wallClock()
      await send(service, request, EVENTS)
      let now = await arrivals()
      for (; now.arrived < before + EVENTS; now = await arrivals()) await sleep(5)
      cpu.push((cpuTime(service.child) - cpuBefore) / EVENTS)
      return (EVENTS / (now.lastAt - started)) * 1000
    },
  }
}

export const benchQueue = async (): Promise<boolean[]> => {
  const [receiver, bullmqReceiver] = [await startReceiver(), await startReceiver()]
  const redis = await startRedis()
  const bullmq = await startBullmq(redis.socket, bullmqReceiver.url)
  const lectern = await startLectern(temporaryFolder(), { LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })
  const { id: spaceId } = await lectern.client.createSpaces({ name: 'Bench' })
  await lectern.client.createWebhook({ spaceId, url: receiver.url })

  const request: Request = { method: 'POST', path: `/v1/spaces/${spaceId}/webhook/test`, body: {} }
  const ours = eventsOf(lectern, receiver.url, request)
  const theirs = eventsOf(bullmq, bullmqReceiver.url, request)
  const verdict = await compare({
    name: 'events from request to receiver against BullMQ on Redis',
    ours: ours.measure,
    yardstick: theirs.measure,
    atLeast: 1,
  })
  console.log(
    `     CPU per event, request and callback: ${ours.cpu().toFixed(2)} ms against ${theirs.cpu().toFixed(2)} ms beside Redis`,
  )
  await Promise.all([lectern.stop(), bullmq.stop(), receiver.stop(), bullmqReceiver.stop()])
  await redis.stop()
  return [verdict]
}
