import { useQuery } from '@tanstack/react-query'
import type { InviteRole } from '../../../contract/invites.ts'
import type { Answer } from '../../../contract/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import { api } from '../../ui/api.ts'
import { usePages } from './pages.ts'
import { renew } from './query.ts'

export type Member = Answer<Operations['listMembers']>['items'][number]

export const useMembers = (spaceId: string, q = '') =>
  usePages(['members', spaceId, 'pages', q], query => api.listMembers({ spaceId, ...(q && { q }), ...query }), {
    keepsShown: true,
  })

/** All of them, to choose from. */
const listAll = async (spaceId: string) => {
  const members: Member[] = []
  let cursor: string | undefined
  do {
    const page = await api.listMembers({ spaceId, limit: 200, ...(cursor !== undefined && { cursor }) })
    members.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return members
}

export const useAllMembers = (spaceId: string, enabled = true) =>
  useQuery({ queryKey: ['members', spaceId, 'all'], queryFn: () => listAll(spaceId), enabled })

/** Someone with an account, without an invite. Who is a member already stays what they are. */
export const addMember = async (spaceId: string, user: { userId: string } | { email: string }, role: InviteRole) => {
  await api.addMember({ spaceId, ...user, role })
  await renew('members', spaceId)
}

export const setMemberRole = async (spaceId: string, userId: string, role: InviteRole) => {
  await api.setMemberRole({ spaceId, userId, role })
  // Invites count with the role of who made them.
  await Promise.all([renew('members', spaceId), renew('invites', spaceId)])
}

/** Removes someone else, or leaves. */
export const removeMember = async (spaceId: string, userId: string) => {
  await api.removeMember({ spaceId, userId })
  await Promise.all([renew('members', spaceId), renew('invites', spaceId)])
}

export const leaveSpace = async (spaceId: string, userId: string) => {
  await api.removeMember({ spaceId, userId })
  await renew('spaces')
}
