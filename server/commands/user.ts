import { publish } from '../cluster/notices.ts'
import { unlessRefused } from '../http/problem.ts'
import { checkNewUser } from '../http/validation.ts'
import { accountProblems } from '../identity/accounts.ts'
import { newPassword } from '../identity/firstOperator.ts'
import { createPasswords } from '../identity/passwords.ts'
import { createUser, deleteUser, listUsers, nameOfUser, resetPassword } from '../store/users.ts'
import { isoTime } from '../times.ts'
import { print, printAll } from './output.ts'
import { change, userByLogin, withStore } from './store.ts'

export const listUsersCommand = () =>
  withStore(db =>
    printAll(
      cursor => listUsers(db, { limit: 200, cursor }),
      ({ id, email, username, isOperator, createdAt }) => ({
        id,
        email,
        username,
        isOperator,
        createdAt: isoTime(createdAt),
      }),
      ({ id, email, username, isOperator }) => `${id}  ${email}  ${username}${isOperator ? '  operator' : ''}`,
    ),
  )

export const addUserCommand = (email: string, username: string, { operator = false }: { operator?: boolean }) =>
  withStore(async db => {
    const password = newPassword()
    checkNewUser({ email, username, password })
    const passwordHash = await createPasswords().hash(password)
    const { id } = await change(db, async (trx, { audit, now }) => {
      const created = await createUser(trx, { email, username }, passwordHash, now, operator)
      const user = unlessRefused(created, accountProblems)
      const target = { type: 'user', ...user, name: username.trim() } as const
      await audit({ action: 'user.created', target, details: { isOperator: operator } })
      return user
    })
    print({ id, password }, `id        ${id}`, `password  ${password}`)
  })

export const resetPasswordCommand = (login: string, { endClients = false }: { endClients?: boolean }) =>
  withStore(async db => {
    const user = await userByLogin(db, login)
    const { id } = user
    const password = newPassword()
    const passwordHash = await createPasswords().hash(password)
    await change(db, async (trx, { audit }) => {
      if (!(await resetPassword(trx, id, passwordHash, { endClients }))) return
      const target = { type: 'user', id, name: nameOfUser(user) } as const
      await audit({ action: 'user.password_reset', target, details: { endClients } })
    })
    print({ id, password }, `password  ${password}`)
  })

/** The service looks for deliveries by itself every few seconds. */
const wakeNobody = () => {}

export const removeUserCommand = (login: string) =>
  withStore(async db => {
    const { id } = await userByLogin(db, login)
    await change(db, async (trx, { audit, now }) => {
      const deleted = await deleteUser(trx, id, now, wakeNobody)
      if (!deleted) return
      const { name, spaceIds } = unlessRefused(deleted, accountProblems)
      for (const spaceId of spaceIds) await publish(trx, { type: 'rights', where: { spaceId } })
      await audit({ action: 'user.deleted', target: { type: 'user', id, name } })
    })
    print({ id }, 'removed')
  })
