import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { fieldError, notFound, Problem, unlessRefused } from '../http/problem.ts'
import { accountProblems, refuseAccount } from '../identity/accounts.ts'
import { verifyCaptcha } from '../identity/captcha.ts'
import { isId, isoTime } from '../ids.ts'
import { anyUser, mayChangePassword, operatorOnly } from '../rules.ts'
import { onCommit } from '../store/db.ts'
import { mapPage } from '../store/page.ts'
import { endSession, endSessions, listSessions } from '../store/sessions.ts'
import type { Row } from '../store/tables.ts'
import {
  createUser,
  deleteUser,
  findUser,
  listUsers,
  refusalOf,
  resetPassword,
  setPassword,
  updateUser,
} from '../store/users.ts'

const toUser = (user: Row<'users'>) => ({
  id: user.id,
  email: user.email,
  username: user.username,
  displayName: user.displayName ?? user.username,
  phone: user.phone,
  isOperator: user.isOperator,
  createdAt: isoTime(user.createdAt),
})

const toSession = (session: Row<'sessions'>, isCurrent: boolean) => ({
  id: session.id,
  createdAt: isoTime(session.createdAt),
  lastUsedAt: isoTime(session.lastUsedAt),
  expiresAt: isoTime(session.expiresAt),
  userAgent: session.userAgent,
  isCurrent,
})

export const userRoutes = (serve: Serve, { config, db, limits, live, now, passwords }: Context) => {
  serve('createUser', anyUser, async ({ at, body, request, reply, commit }) => {
    await limits.request('account', at.caller.userId, reply)
    await verifyCaptcha(config, body.captchaToken, request.ip)
    refuseAccount(await refusalOf(db, body))
    const passwordHash = await passwords.hash(body.password)
    return commit(async trx => unlessRefused(await createUser(trx, body, passwordHash, now()), accountProblems))
  })

  serve('listUsers', operatorOnly, async ({ query }) => mapPage(await listUsers(db, query), toUser))

  serve(
    'deleteUser',
    operatorOnly,
    ({ params, commit }) =>
      commit(async trx => {
        const ended = isId(params.userId) ? await deleteUser(trx, params.userId, now()) : null
        if (!ended) throw notFound('user')
        const { spaceIds } = unlessRefused(ended, accountProblems)
        onCommit(trx, () => {
          for (const spaceId of spaceIds) live.rightsChanged({ spaceId })
        })
        return {}
      }),
    { changes: 'accounts' },
  )

  serve(
    'resetPassword',
    operatorOnly,
    async ({ params, body, commit }) => {
      const passwordHash = await passwords.hash(body.password)
      return commit(async trx => {
        const { endClients = false } = body
        if (!(await resetPassword(trx, params.userId, passwordHash, { endClients }))) throw notFound('user')
        return {}
      })
    },
    {
      changes: 'accounts',
      async find({ userId }) {
        if (!isId(userId) || !(await findUser(db, userId))) throw notFound('user')
      },
    },
  )

  serve('getMe', anyUser, async ({ at }) => {
    const user = await findUser(db, at.caller.userId)
    if (!user) throw new Problem('token_invalid', 'This account was deleted.')
    return toUser(user)
  })

  serve('updateMe', anyUser, ({ body, commit }) =>
    commit(async (trx, at) =>
      toUser(
        unlessRefused(
          await updateUser(trx, at.caller.userId, {
            ...body,
            ...(body.displayName != null && { displayName: body.displayName.trim() }),
          }),
          accountProblems,
        ),
      ),
    ),
  )

  serve(
    'changePassword',
    anyUser,
    async ({ at, body, request, commit }) => {
      const { userId, sessionId } = at.caller
      // A stolen session must not become a way to guess the password at leisure.
      const isRight = await limits.login.attempt({ account: userId, address: request.ip }, async () => {
        const user = await findUser(db, userId)
        return (await passwords.verify(user?.passwordHash, body.currentPassword)) || null
      })
      if (!mayChangePassword(isRight === true))
        throw new Problem('not_allowed', 'The current password is incorrect.', {
          rule: 'mayChangePassword',
          errors: [fieldError('/currentPassword', 'incorrect')],
        })
      const passwordHash = await passwords.hash(body.newPassword)
      return commit(async trx => {
        await setPassword(trx, userId, passwordHash)
        await endSessions(trx, userId, undefined, sessionId)
        return {}
      })
    },
    { changes: 'accounts' },
  )

  serve('listSessions', anyUser, async ({ at, query }) =>
    mapPage(await listSessions(db, at.caller.userId, now(), query), session =>
      toSession(session, session.id === at.caller.sessionId),
    ),
  )

  serve(
    'endOtherSessions',
    anyUser,
    ({ commit }) =>
      commit(async (trx, { caller }) => {
        await endSessions(trx, caller.userId, 'user', caller.sessionId)
        return {}
      }),
    { changes: 'accounts' },
  )

  serve(
    'endSession',
    anyUser,
    ({ params, commit }) =>
      commit(async (trx, { caller }) => {
        if (!isId(params.sessionId) || !(await endSession(trx, caller.userId, params.sessionId)))
          throw notFound('session')
        return {}
      }),
    { changes: 'accounts' },
  )
}
