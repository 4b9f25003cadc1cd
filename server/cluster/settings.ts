import { type Config, environmentName, type SettingName, settings } from '../config.ts'
import type { Keys } from '../identity/keys.ts'

/** Nodes have to agree on these, or calls would be in two places. */
const media = ['media', 'livekitUrl', 'livekitApiKey', 'livekitApiSecret'] as const satisfies SettingName[]

/** What belongs together has one mark, since there is room for only twenty. */
const families = ['LECTERN_S3_', 'LECTERN_CAPTCHA_']
const familyOf = (name: SettingName) => {
  const variable = environmentName(name)
  const family = families.find(start => variable.startsWith(start))
  return family ? `${family}*` : variable
}

/** Nodes should agree on these: otherwise it depends on the node what a request does. */
const shared = Object.entries(
  Object.groupBy(
    (Object.keys(settings) as SettingName[]).filter(
      name => !settings[name].perNode && !(media as readonly SettingName[]).includes(name),
    ),
    familyOf,
  ),
)

/** A few characters for each, so that they fit in the name of a connection. */
const MEDIA_LENGTH = 8
const SHARED_LENGTH = 2

const PREFIX = 'lectern node'
/** What the names of nodes' connections begin with, and no other's. */
export const NODE_PREFIX = `${PREFIX} `
/** It runs an engine of its own, which no other node can use. */
const OWN_ENGINE = 'own'

const mediaMark = (config: Config, keys: Keys) =>
  config.media && config.livekitUrl.length === 0
    ? OWN_ENGINE
    : // Each node may name first the one that is nearest to it.
      keys.fingerprint(JSON.stringify(media.map(name => [config[name]].flat().sort()))).slice(0, MEDIA_LENGTH)

/**
 * The name of a node's connection, by which other nodes see that it runs, and with which settings: in marks that tell
 * nothing to who has not got the master key. PostgreSQL keeps 63 characters.
 */
export const connectionName = (config: Config, keys: Keys) => {
  const marks = shared.map(([variable, names = []]) =>
    keys.fingerprint(`${variable} ${JSON.stringify(names.map(name => config[name]))}`).slice(0, SHARED_LENGTH),
  )
  return `${PREFIX} ${mediaMark(config, keys)} ${marks.join('')}`
}

export const isNode = (name: string) => name.startsWith(NODE_PREFIX)

/** Why two nodes cannot run side by side; null: they can. */
export const conflict = (ours: string, theirs: string): 'own_engine' | 'other_engine' | null => {
  const [our, their] = [ours, theirs].map(name => name.slice(PREFIX.length + 1).split(' ')[0])
  if (our === OWN_ENGINE || their === OWN_ENGINE) return 'own_engine'
  return our === their ? null : 'other_engine'
}

/** The settings that differ between two nodes of the same release, by their names in the environment or their family's. */
export const differences = (ours: string, theirs: string): string[] => {
  const [our = '', their = ''] = [ours, theirs].map(name => name.slice(PREFIX.length + 1).split(' ')[1])
  if (our.length !== their.length) return []
  const markAt = (marks: string, index: number) => marks.slice(index * SHARED_LENGTH, (index + 1) * SHARED_LENGTH)
  return shared.map(([variable]) => variable).filter((_, index) => markAt(our, index) !== markAt(their, index))
}
