import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readConfig } from '../config.ts'
import { databaseFile } from '../store/db.ts'
import { backupSqlite } from '../store/sqlite.ts'
import { fail } from './store.ts'

export const backupCommand = (copy: string) => {
  const config = readConfig(process.env)
  if (config.databaseUrl) fail('With PostgreSQL, back up with its own tool: pg_dump "$DATABASE_URL" > FILE')
  const file = databaseFile(config)
  if (!existsSync(file)) fail(`There is no database at ${file}. Is LECTERN_DATA right?`)
  if (existsSync(copy)) fail(`${copy} exists already. A backup never overwrites: choose another name.`)
  if (!existsSync(dirname(resolve(copy)))) fail(`There is no folder ${dirname(resolve(copy))} to write the backup to.`)
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
    `Keep ${config.data}/master.key too, in another place: without it the secrets in the backup cannot be read.`,
  )
}
