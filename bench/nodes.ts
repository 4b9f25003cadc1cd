import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, fillDeliveries, run } from './databases.ts'
import { CONNECTIONS, compare, measure, type Request } from './load.ts'
import { startLectern, startReceiver, temporaryFolder } from './processes.ts'
import { EVENTS, SECONDS } from './sizes.ts'

type Node = Awaited<ReturnType<typeof startLectern>>

/** Nodes with one database and one data folder are nodes of one installation. */
export const startNode = (database: string, data: string): Promise<Node> =>
  startLectern(data, { DATABASE_URL: database, LECTERN_DRAIN_SECONDS: '0', LECTERN_ALLOW_PRIVATE_WEBHOOKS: '1' })

/** Two nodes, PostgreSQL and whoever asks or receives: with fewer cores a second node has nothing to run on. */
const CORES_TO_JUDGE = 6
const cores = availableParallelism()
const bar =
  cores < CORES_TO_JUDGE ? { note: ` (${cores} cores, too few to tell)` } : { note: ` (${cores} cores)`, atLeast: 1.5 }

/** As many connections in all, spread over the nodes. */
const measureSpread = async (nodes: Node[], request: Request) => {
  const figures = await Promise.all(
    nodes.map(node => measure(node, request, SECONDS, Math.floor(CONNECTIONS / nodes.length))),
  )
  return figures.reduce((sum, figure) => sum + figure)
}

interface Installation {
  database: string
  data: string
  lectern: Node
  create: Request
  get: Request
}

/** With a second node beside the one that runs. */
export const benchNodeRequests = async ({ database, data, lectern, create, get }: Installation) => {
  const second = await startNode(database, data)
  const verdicts: boolean[] = []
  for (const [name, request] of [
    ['GET room', get],
    ['createRooms', create],
  ] as const)
    verdicts.push(
      await compare({
        name: `${name}: two nodes against one${bar.note}`,
        ours: () => measureSpread([lectern, second], request),
        yardstick: () => measureSpread([lectern], request),
        ...('atLeast' in bar && { atLeast: bar.atLeast }),
      }),
    )
  await second.stop()
  return verdicts
}

const SPACES = 4

/** So many nodes on a database of their own, with webhooks in several spaces: how many events a second they deliver. */
const deliveringNodes = async (server: string, count: number, receiver: string) => {
  const database = await createDatabase(server, `nodes_${count}`)
  const data = temporaryFolder()
  const nodes: Node[] = []
  for (let n = 0; n < count; n++) nodes.push(await startNode(database, data))
  const [{ client }] = nodes as [Node]
  const spaceIds: string[] = []
  for (let n = 0; n < SPACES; n++) {
    const { id: spaceId } = await client.createSpaces({ name: 'Bench' })
    await client.createWebhook({ spaceId, url: receiver })
    spaceIds.push(spaceId)
  }
  const pending = async () => {
    const [row] = await run<{ depth: number }>(
      database,
      'SELECT count(*)::integer AS depth FROM deliveries WHERE "nextAttemptAt" IS NOT NULL',
    )
    return row?.depth
  }
  return {
    measure: async () => {
      await fillDeliveries(database, EVENTS / SPACES, 'due')
      const started = performance.now()
      // A test event tells the node it is sent from that there is something to do.
      await Promise.all(nodes.flatMap(node => spaceIds.map(spaceId => node.client.testWebhook({ spaceId }))))
      while ((await pending()) !== 0) await sleep(20)
      return (EVENTS / (performance.now() - started)) * 1000
    },
    stop: () => Promise.all(nodes.map(node => node.stop())),
  }
}

export const benchNodeDeliveries = async (server: string) => {
  const receiver = await startReceiver()
  const one = await deliveringNodes(server, 1, receiver.url)
  const two = await deliveringNodes(server, 2, receiver.url)
  const verdict = await compare({
    name: `events delivered: two nodes against one${bar.note}`,
    ours: two.measure,
    yardstick: one.measure,
    ...('atLeast' in bar && { atLeast: bar.atLeast }),
  })
  await Promise.all([one.stop(), two.stop(), receiver.stop()])
  return verdict
}
