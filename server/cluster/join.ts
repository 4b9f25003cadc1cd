import type { Cluster, ClusterOptions } from './cluster.ts'
import { createSingleNode } from './single.ts'

/** Throws a ConfigError when this node does not fit in with those that run. */
export const joinCluster = async (options: ClusterOptions): Promise<Cluster> => {
  const { databaseUrl } = options.config
  if (!databaseUrl) return createSingleNode(options.db)
  return (await import('./nodes.ts')).joinNodes(databaseUrl, options)
}
