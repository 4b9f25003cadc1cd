import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readConfig } from '../config.ts'
import { databaseFile } from '../store/db.ts'
import { backupSqlite } from '../store/sqlite.ts'
import { fail } from './store.ts'

export const backupCommand = (copy: string) => {
  const config = readConfig(process.env)
  if (config.databaseUrl) fail('To back up PostgreSQL, run: pg_dump "$DATABASE_URL" > FILE')
  const file = databaseFile(config)
  if (!existsSync(file)) fail(`No database found at ${file}. Check LECTERN_DATA.`)
  if (existsSync(copy)) fail(`${copy} already exists. Choose another name.`)
  if (!existsSync(dirname(resolve(copy)))) fail(`Folder not found: ${dirname(resolve(copy))}.`)
  // Under its own name only when it is whole.
  const partial = `${copy}.partial`
  rmSync(partial, { force: true })
  try {
    backupSqlite(file, partial)
    chmodSync(partial, 0o600)
    renameSync(partial, copy)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
  console.log(`Backed up to ${copy}.`)
  console.log(
    `Also keep ${config.data}/master.key, in another place. Without it, the secrets in the backup can’t be decrypted.`,
  )
}
