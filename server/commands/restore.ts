import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { connectDb, databaseFile } from '../store/db.ts'
import { occupancyOf } from '../store/occupancy.ts'
import { compareSchema } from '../store/schema.ts'
import { isSound, migrationsIn, openAlone, replaceSqlite } from '../store/sqlite.ts'
import { print } from './output.ts'
import { migrationsInDump, restoreDump } from './postgresTools.ts'
import { fail } from './store.ts'

const kindOf = (file: string): 'sqlite' | 'postgres' | null => {
  const start = Buffer.alloc(16)
  const handle = openSync(file, 'r')
  readSync(handle, start)
  closeSync(handle)
  if (start.toString('latin1') === 'SQLite format 3\0') return 'sqlite'
  return start.subarray(0, 5).toString('latin1') === 'PGDMP' ? 'postgres' : null
}

const requireKnownSchema = (file: string, migrations: string[] | null) => {
  const schema = compareSchema(migrations)
  if (schema === 'none') fail(`${file} is not a Lectern backup.`)
  if (schema === 'newer')
    fail(`${file} was made by a newer release. Restore it with that release or a newer one. Nothing was changed.`)
}

const refuseFilled = (where: string) =>
  fail(`There is data in ${where}. Nothing was changed. To delete it and put the backup in its place, add --replace.`)

const restoreSqlite = (config: Config, file: string, replace: boolean) => {
  const target = databaseFile(config)
  if (existsSync(target) && !replace) refuseFilled(target)
  if (!existsSync(config.data)) mkdirSync(config.data, { mode: 0o700 })
  // Whole, sound and on disk before it takes the other's place.
  const partial = `${target}.partial`
  try {
    copyFileSync(file, partial)
    chmodSync(partial, 0o600)
    const copy = openAlone(partial)
    if (typeof copy === 'string') return fail(`${file} is damaged. Nothing was changed.`)
    const [migrations, sound] = [migrationsIn(copy), isSound(copy)]
    copy.close()
    if (!sound) fail(`${file} is damaged. Nothing was changed.`)
    requireKnownSchema(file, migrations)
    const handle = openSync(partial, 'r+')
    fsyncSync(handle)
    closeSync(handle)
    if (!replaceSqlite(partial, target)) fail(`${target} is in use. Nothing was changed. Stop Lectern first.`)
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${partial}${suffix}`, { force: true })
  }
}

const restorePostgres = async (config: Config, databaseUrl: string, file: string, replace: boolean) => {
  requireKnownSchema(file, await migrationsInDump(file))
  const db = await connectDb(config)
  const { tables, isOurs, isFilled, users } = await occupancyOf(db).finally(() => db.destroy())
  if (!isOurs) fail('There are tables of something else in the database of DATABASE_URL. Choose an empty one.')
  if (isFilled && !replace) refuseFilled('the database of DATABASE_URL')
  if (users > 0) fail('The database of DATABASE_URL is in use. Nothing was changed. Stop Lectern first, on every node.')
  await restoreDump(databaseUrl, file, tables)
}

export const restoreCommand = async (backup: string, { replace = false }: { replace?: boolean }) => {
  const config = readConfig(process.env)
  const file = resolve(backup)
  if (!existsSync(file)) fail(`There is no file ${file}.`)
  const kind = kindOf(file)
  if (kind === null) fail(`${file} is not a Lectern backup.`)
  if (kind === 'postgres' && !config.databaseUrl)
    fail(`${file} is a backup of PostgreSQL. Set DATABASE_URL to where it goes.`)
  if (kind === 'sqlite' && config.databaseUrl)
    fail(`${file} is a backup of SQLite. To move it into PostgreSQL: lectern copy --from ${file}`)
  if (config.databaseUrl) await restorePostgres(config, config.databaseUrl, file, replace)
  else restoreSqlite(config, file, replace)
  const masterKey = join(config.data, 'master.key')
  print(
    { file, masterKey },
    `Restored from ${file}.`,
    `The master key is not in a backup. Put the one that was in use then at ${masterKey}, with mode 600, before you start.`,
  )
}
