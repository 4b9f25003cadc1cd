import type { Audit } from '../http/audit.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { fieldError, notFound, Problem, unlessRefused } from '../http/problem.ts'
import { accountProblems, refuseAccount } from '../identity/accounts.ts'
import { verifyCaptcha } from '../identity/captcha.ts'
import { isId } from '../ids.ts'
import { anyUser, mayChangePassword, operatorOnly, type UserCaller } from '../rules.ts'
import { changesOf } from '../store/audit.ts'
import { onCommit } from '../store/db.ts'
import { mapPage } from '../store/page.ts'
import { metadataFrom, metadataText } from '../store/references.ts'
import { endSession, endSessions, listSessions } from '../store/sessions.ts'
import type { Db, Row, Trx } from '../store/tables.ts'
import {
  accountRefusal,
  createUser,
  deleteUser,
  findUser,
  listUsers,
  nameOfUser,
  resetPassword,
  setPassword,
  updateUser,
} from '../store/users.ts'
import { isoTime } from '../times.ts'

const targetOf = ({ userId: id, name }: UserCaller) => ({ type: 'user', id, name }) as const

const toUser = (user: Row<'users'>) => ({
  id: user.id,
  email: user.email,
  username: user.username,
  displayName: nameOfUser(user),
  phone: user.phone,
  isOperator: user.isOperator,
  createdAt: isoTime(user.createdAt),
  updatedAt: isoTime(user.updatedAt ?? user.createdAt),
  externalId: user.externalId,
  metadata: metadataFrom(user),
})

const toSession = (session: Row<'sessions'>, isCurrent: boolean) => ({
  id: session.id,
  createdAt: isoTime(session.createdAt),
  lastUsedAt: isoTime(session.lastUsedAt),
  expiresAt: isoTime(session.expiresAt),
  userAgent: session.userAgent,
  isCurrent,
})

export const userRoutes = (serve: Serve, { config, db, deliveries, limits, live, now, passwords }: Context) => {
  serve('createUser', anyUser, async ({ at, body, request, reply, commit }) => {
    await limits.request('account', at.caller.userId, reply)
    await verifyCaptcha(config, body.captchaToken, request.ip)
    refuseAccount(await accountRefusal(db, body))
    const passwordHash = await passwords.hash(body.password)
    return commit(async (trx, _at, audit) => {
      const user = unlessRefused(await createUser(trx, body, passwordHash, now()), accountProblems)
      await audit({ action: 'user.created', target: { type: 'user', ...user, name: body.username.trim() } })
      return user
    })
  })

  serve('listUsers', operatorOnly, async ({ query }) => mapPage(await listUsers(db, query), toUser))

  serve(
    'deleteUser',
    operatorOnly,
    ({ params, commit }) =>
      commit(async (trx, _at, audit) => {
        const ended = isId(params.userId) ? await deleteUser(trx, params.userId, now(), deliveries.wake) : null
        if (!ended) throw notFound('user')
        const { name, spaceIds } = unlessRefused(ended, accountProblems)
        await audit({ action: 'user.deleted', target: { type: 'user', id: params.userId, name } })
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
      return commit(async (trx, _at, audit) => {
        const { endClients = false } = body
        const user = await resetPassword(trx, params.userId, passwordHash, { endClients })
        if (!user) throw notFound('user')
        const target = { type: 'user', id: params.userId, name: nameOfUser(user) } as const
        await audit({ action: 'user.password_reset', target, details: { endClients } })
        return {}
      })
    },
    {
      changes: 'accounts',
      find: params => requireUser(params),
    },
  )

  serve('getMe', anyUser, async ({ at }) => {
    const user = await findUser(db, at.caller.userId)
    if (!user) throw new Problem('token_invalid', 'This account was deleted.')
    return toUser(user)
  })

  interface AccountChange extends Partial<Pick<Row<'users'>, 'email' | 'username' | 'displayName' | 'phone'>> {
    externalId?: string | null
    metadata?: Record<string, string>
  }

  const changeAccount = async (
    trx: Trx,
    before: Row<'users'>,
    { displayName, metadata, ...others }: AccountChange,
    audit: Audit<'user.updated'>,
  ) => {
    const change = {
      ...others,
      ...(displayName !== undefined && { displayName: displayName?.trim() ?? null }),
      ...(metadata !== undefined && { metadata: metadataText(metadata) ?? null }),
    }
    if (!changesOf(before, change)) return toUser(before)
    const user = unlessRefused(await updateUser(trx, before.id, change, now()), accountProblems)
    const { email, username, phone, externalId } = user
    const told = { email, username, displayName: user.displayName, phone, externalId, metadata: user.metadata }
    const changes = changesOf(before, told)
    if (changes) {
      // Which of them, but not what they are: the log outlives the account.
      const details = { fields: Object.keys(changes).join(', ') }
      await audit({ action: 'user.updated', target: { type: 'user', id: user.id, name: nameOfUser(before) }, details })
    }
    return toUser(user)
  }

  serve('updateMe', anyUser, ({ body, commit }) =>
    commit(async (trx, { caller }, audit) => {
      const before = await findUser(trx, caller.userId)
      if (!before) throw notFound('user')
      return changeAccount(trx, before, body, audit)
    }),
  )

  const requireUser = async ({ userId }: { userId: string }, on: Db = db) => {
    const user = isId(userId) ? await findUser(on, userId) : undefined
    if (!user) throw notFound('user')
    return user
  }

  serve('getUser', operatorOnly, async ({ params }) => toUser(await requireUser(params)))

  serve(
    'updateUser',
    operatorOnly,
    ({ params, body, commit }) =>
      commit(async (trx, _at, audit) => changeAccount(trx, await requireUser(params, trx), body, audit)),
    { find: params => requireUser(params) },
  )

  serve(
    'changePassword',
    anyUser,
    async ({ at, body, request, commit }) => {
      const { userId, sessionId } = at.caller
      // A stolen session must not allow unlimited guesses of the password.
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
      return commit(async (trx, { caller }, audit) => {
        await setPassword(trx, userId, passwordHash)
        await endSessions(trx, userId, ['user', 'client'], sessionId)
        await audit({ action: 'user.password_changed', target: targetOf(caller) })
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
      commit(async (trx, { caller }, audit) => {
        await endSessions(trx, caller.userId, ['user'], caller.sessionId)
        await audit({ action: 'session.ended', target: targetOf(caller), details: { allOthers: true } })
        return {}
      }),
    { changes: 'accounts' },
  )

  serve(
    'endSession',
    anyUser,
    ({ params, commit }) =>
      commit(async (trx, { caller }, audit) => {
        const { sessionId: id } = params
        if (!isId(id) || !(await endSession(trx, caller.userId, id))) throw notFound('session')
        await audit({ action: 'session.ended', target: { type: 'session', id } })
        return {}
      }),
    { changes: 'accounts' },
  )
}
