import type { InviteRole } from '../../../contract/invites.ts'
import type { Answer } from '../../../contract/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import type { NewUser } from '../../../contract/users.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { REFRESH_MS, renew } from './query.ts'
import { signIn } from './session.ts'

export type Invite = Answer<Operations['listInvites']>['items'][number]

export interface InviteReference {
  spaceId: string
  inviteId: string
}

/** In the fragment, which no browser sends and no server logs: whoever has the id can join the space. */
export const inviteUrl = (spaceId: string, inviteId: string) => `${location.origin}/invite#${spaceId}/${inviteId}`

export const useInvites = (spaceId: string) =>
  usePages(['invites', spaceId], query => api.listInvites({ spaceId, ...query }), { refetchInterval: REFRESH_MS })

/** Where it leads. */
export const inspectInvite = (invite: InviteReference) => api.inspectInvite(invite)

export const createInvite = async (spaceId: string, role: InviteRole, label: string | undefined) => {
  const { id } = await api.createInvite({ spaceId, role, ...(label !== undefined && { label }) })
  await renew('invites', spaceId)
  return inviteUrl(spaceId, id)
}

/** One for each label; a second time with the same key, the same ones. */
export const createInvites = async (spaceId: string, role: InviteRole, labels: string[], idempotencyKey: string) => {
  const { items } = await api.createInvites({ spaceId, role, labels }, { idempotencyKey })
  return items.map(({ id, label }) => ({ label, url: inviteUrl(spaceId, id) }))
}

export const revokeInvite = async (spaceId: string, inviteId: string) => {
  await api.revokeInvite({ spaceId, inviteId })
  await renew('invites', spaceId)
}

export const activateInvite = async (invite: InviteReference) => {
  await api.activateInvite(invite)
  await Promise.all([renew('spaces'), renew('space', invite.spaceId)])
}

/** Creates the account as a member of the space, and signs it in. */
export const register = async (invite: InviteReference, user: NewUser) => {
  await api.registerWithInvite({ ...invite, ...user })
  await signIn({ username: user.username, password: user.password })
}
