import { unlessRefused } from '../http/problem.ts'
import { checkNewUser } from '../http/validation.ts'
import { accountProblems } from '../identity/accounts.ts'
import { newPassword } from '../identity/firstOperator.ts'
import { createPasswords } from '../identity/passwords.ts'
import { transact } from '../store/db.ts'
import { createUser, deleteUser, listUsers, resetPassword } from '../store/users.ts'
import { printAll, userByLogin, withStore } from './store.ts'

export const listUsersCommand = () =>
  withStore(db =>
    printAll(
      cursor => listUsers(db, { limit: 200, cursor }),
      ({ id, email, username, isOperator }) => `${id}  ${email}  ${username}${isOperator ? '  operator' : ''}`,
    ),
  )

export const addUserCommand = (email: string, username: string, { operator = false }: { operator?: boolean }) =>
  withStore(async db => {
    const password = newPassword()
    checkNewUser({ email, username, password })
    const passwordHash = await createPasswords().hash(password)
    const { id } = await transact(db, async trx =>
      unlessRefused(await createUser(trx, { email, username }, passwordHash, Date.now(), operator), accountProblems),
    )
    console.log(`id        ${id}\npassword  ${password}`)
  })

export const resetPasswordCommand = (login: string, { endClients = false }: { endClients?: boolean }) =>
  withStore(async db => {
    const { id } = await userByLogin(db, login)
    const password = newPassword()
    const passwordHash = await createPasswords().hash(password)
    await transact(db, trx => resetPassword(trx, id, passwordHash, { endClients }))
    console.log(`password  ${password}`)
  })

export const removeUserCommand = (login: string) =>
  withStore(async db => {
    const { id } = await userByLogin(db, login)
    await transact(db, async trx => {
      const deleted = await deleteUser(trx, id, Date.now())
      if (deleted) unlessRefused(deleted, accountProblems)
    })
    console.log('removed')
  })
