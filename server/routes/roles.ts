import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem } from '../http/problem.ts'
import { isId } from '../ids.ts'
import { mayGrantRole, mayManageRoles, mayRevokeRole } from '../rules.ts'
import { countFromLinksOf } from '../store/links.ts'
import { hold } from '../store/lock.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import { findRole, grantRole, listRoles, revokeRole } from '../store/roles.ts'
import { findUser, nameOfUser } from '../store/users.ts'
import { isoTime } from '../times.ts'

const toRole = ({ userId, username, displayName, role, createdAt, updatedAt }: RowOf<typeof listRoles>) => ({
  userId,
  username,
  displayName: displayName ?? username,
  role,
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt ?? createdAt),
})

const creatorProblem = (rule: 'mayGrantRole' | 'mayRevokeRole') =>
  new Problem('not_allowed', 'The room creator’s role can’t be changed or revoked.', { rule })

export const roleRoutes = (serve: Serve, { db, now, tell }: Context) => {
  serve(
    'grantRole',
    mayManageRoles,
    ({ body: { targetUserId, role }, commit }) =>
      commit(async (trx, at, audit) => {
        const user = (await hold(trx, 'users', targetUserId)) ? await findUser(trx, targetUserId) : undefined
        if (!user) throw notFound('user')
        if (!mayGrantRole(at, targetUserId, role)) throw creatorProblem('mayGrantRole')
        const isNew = await grantRole(trx, at.room, targetUserId, role, now())
        await audit({
          action: 'role.granted',
          target: { type: 'user', id: user.id, name: nameOfUser(user) },
          details: { role, roomId: at.room.id, roomName: at.room.name },
        })
        if (isNew) await tell(trx, at, 'role_granted', { roomId: at.room.id, userId: targetUserId, role })
        return { targetUserId, role }
      }),
    { changes: 'room' },
  )

  serve('listRoles', mayManageRoles, async ({ at, query }) => mapPage(await listRoles(db, at.room.id, query), toRole))

  serve('getRole', mayManageRoles, async ({ at, params: { userId } }) => {
    const role = isId(userId) ? await findRole(db, at.room.id, userId) : undefined
    if (!role) throw notFound('role')
    const { links, guests } = await countFromLinksOf(db, at.room.id, userId, now())
    return { ...toRole(role), linkCount: links, guestCount: guests }
  })

  serve(
    'revokeRole',
    mayManageRoles,
    ({ params, commit }) =>
      commit(async (trx, at, audit) => {
        const { userId: id } = params
        if (!mayRevokeRole(at, id)) throw creatorProblem('mayRevokeRole')
        const revoked = isId(id) ? await revokeRole(trx, at.room.id, id) : undefined
        const user = revoked && (await findUser(trx, id))
        if (!user) throw notFound('role')
        await audit({
          action: 'role.revoked',
          target: { type: 'user', id, name: nameOfUser(user) },
          details: { role: revoked.role, roomId: at.room.id, roomName: at.room.name },
        })
        await tell(trx, at, 'role_revoked', { roomId: at.room.id, userId: id, role: revoked.role })
        return {}
      }),
    { changes: 'room' },
  )
}
