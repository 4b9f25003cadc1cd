import { statfs } from 'node:fs/promises'
import packageJson from '../../package.json' with { type: 'json' }
import { NODE_PREFIX } from '../cluster/settings.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { describeMedia } from '../media/state.ts'
import { operatorOnly } from '../rules.ts'
import { queueState } from '../store/deliveries.ts'
import { isPostgres } from '../store/dialect.ts'
import { recordUsage } from '../store/records.ts'
import { countAll, countNodes } from '../store/status.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'

const diskOf = async (folder: string) => {
  try {
    const { bsize, bavail, blocks } = await statfs(folder)
    return { freeBytes: bsize * bavail, totalBytes: bsize * blocks }
  } catch {
    return null
  }
}

export const statusRoutes = (serve: Serve, { config, db, media, now }: Context) => {
  const startedAt = now()

  serve('getStatus', operatorOnly, async () => {
    const [counts, queue, nodes, records, disk] = await Promise.all([
      countAll(db),
      queueState(db),
      countNodes(db, NODE_PREFIX),
      recordUsage(db, null),
      diskOf(config.data),
    ])
    const { live, participants, failingWebhooks, blockedWebhooks } = counts
    const { media: status, mediaPercent: percent } = describeMedia(media.state())
    return {
      version: packageJson.version,
      startedAt: isoTime(startedAt),
      nodes,
      database: { kind: isPostgres(db) ? ('postgres' as const) : ('sqlite' as const) },
      media: { status, percent },
      calls: { live, participants },
      deliveries: {
        pending: queue.depth,
        oldestDueAt: isoTimeOrNull(queue.oldest),
        failingWebhooks,
        blockedWebhooks,
      },
      records,
      disk,
    }
  })
}
