import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem } from '../http/problem.ts'
import { isId, isoTime } from '../ids.ts'
import { mayListMembers, mayRemoveMember, mayRemoveMembers } from '../rules.ts'
import { findMember, listMembers } from '../store/members.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import { withdrawFrom } from '../store/withdraw.ts'

const toMember = ({ userId, username, displayName, role, joinedAt }: RowOf<typeof listMembers>) => ({
  userId,
  username,
  displayName: displayName ?? username,
  role,
  joinedAt: isoTime(joinedAt),
})

export const memberRoutes = (serve: Serve, { db, now }: Context) => {
  serve('listMembers', mayListMembers, async ({ at, query }) =>
    mapPage(await listMembers(db, at.space.id, query), toMember),
  )

  serve(
    'removeMember',
    mayRemoveMembers,
    ({ params, commit }) =>
      commit(async (trx, at) => {
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
        await withdrawFrom(trx, at.space.id, member.userId, now())
        return {}
      }),
    { changes: 'space' },
  )
}
