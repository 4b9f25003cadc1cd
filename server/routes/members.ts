import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem } from '../http/problem.ts'
import { isId } from '../ids.ts'
import { mayChangeMemberRole, mayChangeSpace, mayListMembers, mayRemoveMember, mayRemoveMembers } from '../rules.ts'
import { findMember, listMembers, setMemberRole } from '../store/members.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import { nameOfUser } from '../store/users.ts'
import { withdrawFrom } from '../store/withdraw.ts'
import { isoTime } from '../times.ts'

const toMember = (member: RowOf<typeof listMembers>) => ({
  userId: member.userId,
  username: member.username,
  displayName: nameOfUser(member),
  role: member.role,
  joinedAt: isoTime(member.joinedAt),
})

export const memberRoutes = (serve: Serve, { db, deliveries, now }: Context) => {
  serve('listMembers', mayListMembers, async ({ at, query }) =>
    mapPage(await listMembers(db, at.space.id, query), toMember),
  )

  serve(
    'setMemberRole',
    mayChangeSpace,
    ({ params, body: { role }, commit }) =>
      commit(async (trx, at, audit) => {
        const member = isId(params.userId) ? await findMember(trx, at.space.id, params.userId) : undefined
        if (!member) throw notFound('member')
        if (!mayChangeMemberRole(at, member))
          throw new Problem('not_allowed', 'The owner’s role can’t be changed. Transfer ownership first.', {
            rule: 'mayChangeMemberRole',
          })
        const { userId } = member
        if (role !== member.role) {
          await setMemberRole(trx, at.space.id, userId, role)
          const target = { type: 'user', id: userId, name: nameOfUser(member) } as const
          await audit({ action: 'member.role_changed', target, details: { role } })
        }
        return { userId, role }
      }),
    { changes: 'space' },
  )

  serve(
    'removeMember',
    mayRemoveMembers,
    ({ params, commit }) =>
      commit(async (trx, at, audit) => {
        const member = isId(params.userId) ? await findMember(trx, at.space.id, params.userId) : undefined
        if (!member) throw notFound('member')
        if (!mayRemoveMember(at, member))
          throw new Problem(
            'not_allowed',
            member.role === 'role_space_owner'
              ? 'The owner can’t be removed. Transfer ownership first.'
              : 'The owner can remove any other member, a space moderator can remove users, and anyone can leave.',
            { rule: 'mayRemoveMember' },
          )
        await withdrawFrom(trx, at.space.id, member, now(), deliveries.wake)
        await audit({
          action: member.userId === at.caller.userId ? 'member.left' : 'member.removed',
          target: { type: 'user', id: member.userId, name: nameOfUser(member) },
          details: { role: member.role },
        })
        return {}
      }),
    { changes: 'space' },
  )
}
