import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem } from '../http/problem.ts'
import { isId } from '../ids.ts'
import {
  directMembersRefusal,
  mayAddMembers,
  mayChangeMemberRole,
  mayChangeSpace,
  mayListMembers,
  mayRemoveMember,
  mayRemoveMembers,
} from '../rules.ts'
import { hold } from '../store/lock.ts'
import { addMember, findMember, listMembers, setMemberRole } from '../store/members.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import { findUser, findUserByLogin, nameOfUser } from '../store/users.ts'
import { withdrawFrom } from '../store/withdraw.ts'
import { isoTime } from '../times.ts'

const toMember = (member: RowOf<typeof listMembers>) => ({
  userId: member.userId,
  username: member.username,
  displayName: nameOfUser(member),
  role: member.role,
  joinedAt: isoTime(member.joinedAt),
  updatedAt: isoTime(member.updatedAt ?? member.joinedAt),
})

export const memberRoutes = (serve: Serve, { config, db, deliveries, limits, now, tell }: Context) => {
  serve('listMembers', mayListMembers, async ({ at, query }) =>
    mapPage(await listMembers(db, at.space.id, query), toMember),
  )

  serve(
    'addMember',
    mayAddMembers,
    async ({ at, body: { userId, email, role }, reply, commit }) => {
      const refusal = directMembersRefusal(config)
      if (refusal)
        throw new Problem(refusal, 'Create an invite instead, or ask the operator for LECTERN_DIRECT_MEMBERS.')
      if (email !== undefined) await limits.request('member', at.caller.userId, reply)
      return commit(async (trx, at, audit) => {
        const spaceId = at.space.id
        const user = await (userId === undefined ? findUserByLogin(trx, email ?? '') : findUser(trx, userId))
        if (!user || !(await hold(trx, 'users', user.id))) {
          // No word of whether an address has an account. Ids can't be guessed.
          if (userId === undefined) return {}
          throw notFound('user')
        }
        if (await findMember(trx, spaceId, user.id)) return {}
        await addMember(trx, spaceId, user.id, role, now())
        const target = { type: 'user', id: user.id, name: nameOfUser(user) } as const
        await audit({ action: 'member.added', target, details: { role } })
        await tell(trx, at, 'member_joined', { roomId: '', userId: user.id, role })
        return {}
      })
    },
    { changes: 'space' },
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
          await setMemberRole(trx, at.space.id, userId, role, now())
          const target = { type: 'user', id: userId, name: nameOfUser(member) } as const
          await audit({ action: 'member.role_changed', target, details: { role } })
          await tell(trx, at, 'member_role_changed', { roomId: '', userId, role })
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
