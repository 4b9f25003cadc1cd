import { quantile } from './clock.ts'
import { compare } from './load.ts'
import { runOnce, SERVICE_FLAGS, startReceiver } from './processes.ts'

export const benchDeliveries = async (): Promise<boolean[]> => {
  const receiver = await startReceiver()
  const measure = <T>(mode: string, flags = SERVICE_FLAGS) =>
    runOnce<T>([...flags, '--expose-gc', 'bench/deliver.ts', mode, receiver.url])
  const p99 = async (mode: string) => quantile(await measure<number[]>(mode), 0.99)

  const verdicts = [
    await compare({
      name: 'deliveries against a bare loop of signed POSTs',
      ours: () => measure('ours'),
      yardstick: () => measure('bare', []),
      atLeast: 0.7,
    }),
    // A delay is better the smaller it is, so the yardstick goes on top.
    await compare(
      {
        name: 'p99 from commit to arrival: alone against beside 100 hung',
        ours: async () => 1000 / (await p99('delay-hung')),
        yardstick: async () => 1000 / (await p99('delay')),
        atLeast: 1 / 1.3,
      },
      3,
    ),
  ]
  const grown = await measure<number>('memory')
  console.log(`${grown <= 50 ? 'ok  ' : 'HIGH'} memory for 100,000 queued events: ${grown.toFixed(0)} MB (at most 50)`)
  await receiver.stop()
  return [...verdicts, grown <= 50]
}
