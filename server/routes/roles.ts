import { isId, isoTime } from '../ids.ts'
import { notFound, Problem } from '../problem.ts'
import { mayManageRoles } from '../rules.ts'
import type { Context, Serve } from '../serve.ts'
import { hold } from '../store/lock.ts'
import { mapPage } from '../store/page.ts'
import { grantRole, listRoles, revokeRole } from '../store/roles.ts'

const refuseForCreator = () => new Problem('not_allowed', 'Nobody lowers or removes the room creator.')

export const roleRoutes = (serve: Serve, { db, now }: Context) => {
  serve(
    'grantRole',
    mayManageRoles,
    ({ body: { targetUserId, role }, commit }) =>
      commit(async (trx, at) => {
        if (!(await hold(trx, 'users', targetUserId))) throw notFound('user')
        if (targetUserId === at.room.creatorId && role === 'role_room_user') throw refuseForCreator()
        await grantRole(trx, at.room, targetUserId, role, now())
        return { targetUserId, role }
      }),
    { exclusive: true },
  )

  serve('listRoles', mayManageRoles, async ({ at, query }) =>
    mapPage(await listRoles(db, at.room.id, query), ({ userId, username, displayName, role, createdAt }) => ({
      userId,
      username,
      displayName: displayName ?? username,
      role,
      createdAt: isoTime(createdAt),
    })),
  )

  serve(
    'revokeRole',
    mayManageRoles,
    ({ params, commit }) =>
      commit(async (trx, at) => {
        if (params.userId === at.room.creatorId) throw refuseForCreator()
        if (!isId(params.userId) || !(await revokeRole(trx, at.room.id, params.userId))) throw notFound('role')
        return {}
      }),
    { exclusive: true },
  )
}
