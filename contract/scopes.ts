export const areas = [
  'spaces',
  'rooms',
  'members',
  'invites',
  'roles',
  'links',
  'calls',
  'messages',
  'webhook',
] as const

type Area = (typeof areas)[number]

/** What a personal access token can be limited to. `:write` includes `:read` of the same area. */
export type Scope = `${Area}:${'read' | 'write'}`

export const scopes: readonly Scope[] = areas.flatMap(area => [`${area}:read`, `${area}:write`] as const)
