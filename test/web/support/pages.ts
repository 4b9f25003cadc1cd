import type { Client } from '../../../client/client.ts'

/** Pages with something on them: where they are, and what they are called, by key or as somebody named them. */
export const makePages = async (api: Client) => {
  const { id: spaceId } = await api.createSpaces({
    name: 'Школа с очень длинным названием, which is long in any language of the world',
  })
  const { id: roomId, alias } = await api.createRooms({ spaceId, name: 'Algebra', type: 'webinar' })
  await api.createInvite({ spaceId, role: 'role_space_user' })
  await api.generateAccess({ spaceId, roomId, role: 'user', username: 'Grace Hopper', externalUserId: 'a'.repeat(128) })
  await api.createClient({ name: 'School backend' })
  return {
    '/spaces': 'spaces.title',
    [`/spaces/${spaceId}`]: 'rooms.title',
    [`/spaces/${spaceId}/rooms/${alias}`]: 'Algebra',
    [`/spaces/${spaceId}/people`]: 'people.title',
    [`/spaces/${spaceId}/settings`]: 'space.settings',
    [`/spaces/${spaceId}/rooms/${alias}/people`]: 'Algebra',
    [`/spaces/${spaceId}/rooms/${alias}/permissions`]: 'Algebra',
    [`/spaces/${spaceId}/audit`]: 'audit.title',
    '/account': 'account.title',
    '/clients': 'clients.title',
    '/spaces/nowhere': 'notFound.title',
  }
}

export const operatorsPages = {
  '/operator/users': 'users.title',
  '/operator/spaces': 'allSpaces.title',
  '/operator/audit': 'audit.title',
  '/operator/state': 'state.title',
}
