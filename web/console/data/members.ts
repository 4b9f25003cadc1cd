import type { InviteRole } from '../../../contract/invites.ts'
import type { Answer } from '../../../contract/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import type { SpaceRole } from '../../../contract/spaces.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { renew } from './query.ts'

export type Member = Answer<Operations['listMembers']>['items'][number]

interface MemberFilter {
  q?: string
  role?: SpaceRole
}

export const useMembers = (spaceId: string, { q, role }: MemberFilter = {}) =>
  usePages(
    ['members', spaceId, { q, role }],
    query => api.listMembers({ spaceId, ...(q && { q }), ...(role && { role }), ...query }),
    { keepsShown: true },
  )

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
