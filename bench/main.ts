/* `npm run bench`, or only some of it, as in `npm run bench interface postgres`. */
import { benchDeliveries } from './deliveries.ts'
import { benchInterface } from './interface.ts'
import { benchLive } from './live.ts'
import { benchPostgres } from './postgres.ts'
import { benchQueue } from './queue.ts'

const benches = {
  interface: benchInterface,
  postgres: benchPostgres,
  deliveries: benchDeliveries,
  queue: benchQueue,
  live: benchLive,
}
const asked = process.argv.slice(2)
const verdicts: boolean[] = []
for (const [name, bench] of Object.entries(benches))
  if (asked.length === 0 || asked.includes(name)) verdicts.push(...(await bench()))
process.exit(verdicts.includes(false) ? 1 : 0)
