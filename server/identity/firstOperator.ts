import { randomInt } from 'node:crypto'
import type { Config } from '../config.ts'
import { commandActor, recordAct } from '../store/audit.ts'
import { transact } from '../store/db.ts'
import { lockAccounts } from '../store/lock.ts'
import type { Db } from '../store/tables.ts'
import { createUser, hasUsers } from '../store/users.ts'
import type { Passwords } from './passwords.ts'

const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** 20 characters, about 99 bits, in groups that can be typed. */
export const newPassword = () =>
  Array.from({ length: 4 }, () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')).join(
    '-',
  )

/** `password` is null if it was not made here. */
export interface FirstOperator {
  email: string
  password: string | null
}

/** On the first start, and only then, makes the operator's account. */
export const createFirstOperator = async (
  db: Db,
  passwords: Passwords,
  { adminEmail, adminPassword }: Config,
  now: number,
): Promise<FirstOperator | null> => {
  if (await hasUsers(db)) return null
  const password = adminPassword ?? newPassword()
  const passwordHash = await passwords.hash(password)
  const created = await transact(db, async trx => {
    // Another node may be doing the same.
    await lockAccounts(trx)
    if (await hasUsers(trx)) return false
    const user = await createUser(trx, { email: adminEmail, username: 'operator' }, passwordHash, now, true)
    if (typeof user === 'string') throw new Error(`the first operator cannot be created: ${user}`)
    const target = { type: 'user', ...user, name: 'operator' } as const
    await recordAct(trx, commandActor(), { action: 'user.created', target, details: { isOperator: true } }, now)
    return true
  })
  return created ? { email: adminEmail, password: adminPassword ? null : password } : null
}
