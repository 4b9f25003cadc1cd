import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { databaseFile } from '../store/db.ts'
import { SchemaMismatch } from '../store/failures.ts'
import { schemaOf } from '../store/schema.ts'
import { backupSqlite } from '../store/sqlite.ts'
import { print } from './output.ts'
import { dump } from './postgresTools.ts'
import { fail, withDatabase } from './store.ts'

export const backupCommand = (copy: string) =>
  withDatabase(async (db, config) => {
    if (existsSync(copy)) fail(`${copy} already exists. Choose another name.`)
    if (!existsSync(dirname(resolve(copy)))) fail(`Folder not found: ${dirname(resolve(copy))}.`)
    const schema = await schemaOf(db)
    if (schema === 'none') throw new SchemaMismatch(schema)
    // Under its own name only when it is whole.
    const partial = `${copy}.partial`
    rmSync(partial, { force: true })
    try {
      if (config.databaseUrl) await dump(config.databaseUrl, partial)
      else backupSqlite(databaseFile(config), partial)
      chmodSync(partial, 0o600)
      renameSync(partial, copy)
    } catch (error) {
      rmSync(partial, { force: true })
      throw error
    }
    const masterKey = join(config.data, 'master.key')
    print(
      { file: copy, schema, masterKey },
      `Backed up to ${copy}. To restore: lectern restore ${copy}`,
      ...(schema === 'current' ? [] : [`Its schema is ${schema} than this release.`]),
      `Also keep ${masterKey}, in another place. Without it, the secrets in the backup can’t be decrypted.`,
    )
  })
