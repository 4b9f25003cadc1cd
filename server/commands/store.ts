import { existsSync } from 'node:fs'
import { type Config, readConfig } from '../config.ts'
import { type Act, commandActor, recordAct } from '../store/audit.ts'
import { connectDb, databaseFile, transact } from '../store/db.ts'
import { readClock } from '../store/health.ts'
import { requireCurrentSchema } from '../store/schema.ts'
import type { Db, Trx } from '../store/tables.ts'
import { findUserByLogin } from '../store/users.ts'

/** Ends the command with these words and no stack. */
export const fail = (message: string): never => {
  throw Object.assign(new Error(message), { expected: true })
}

/** The database as it is, whatever its schema. */
export const withDatabase = async (work: (db: Db, config: Config) => Promise<void>) => {
  const config = readConfig(process.env)
  if (!config.databaseUrl && !existsSync(databaseFile(config)))
    fail(`No database found at ${databaseFile(config)}. Check LECTERN_DATA. The database is created on first start.`)
  const db = await connectDb(config)
  try {
    await work(db, config)
  } finally {
    await db.destroy()
  }
}

/** Works on the database directly, also while the service runs. Its schema must be that of this release. */
export const withStore = (work: (db: Db, config: Config) => Promise<void>) =>
  withDatabase(async (db, config) => {
    await requireCurrentSchema(db)
    await work(db, config)
  })

interface Changing {
  /** Records in the audit log what was done, in the same transaction. */
  audit: (act: Act) => Promise<void>
  now: number
}

export const change = <T>(db: Db, work: (trx: Trx, changing: Changing) => Promise<T>): Promise<T> =>
  transact(db, async trx => {
    const now = await readClock(trx)
    return work(trx, { audit: act => recordAct(trx, commandActor(), act, now), now })
  })

export const userByLogin = async (db: Db, login: string) =>
  (await findUserByLogin(db, login)) ?? fail(`User not found: ${login}. List users with: lectern user list`)
