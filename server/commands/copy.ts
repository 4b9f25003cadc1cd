import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readConfig } from '../config.ts'
import { type CopiedTable, CopyRefused, copyInto } from '../store/copy.ts'
import { compareSchema } from '../store/schema.ts'
import { migrationsIn, openAlone, type SqliteFile } from '../store/sqlite.ts'
import { print, printProgress } from './output.ts'
import { fail, withStore } from './store.ts'

const LINE_EVERY_MS = 1000

/** A line a second, and one for each table that is done. */
const showProgress = () => {
  let shownAt = 0
  return (table: string, rows: number, total: number) => {
    if (rows < total && Date.now() - shownAt < LINE_EVERY_MS) return
    shownAt = Date.now()
    printProgress(`copying  ${table}  ${rows} of ${total}`)
  }
}

const openSource = (file: string): SqliteFile => {
  if (!existsSync(file)) fail(`There is no file ${file}.`)
  const source = openAlone(file)
  if (source === 'in use')
    return fail(`${file} is in use. Stop Lectern first: what it writes meanwhile would not be copied.`)
  const schema = source === 'damaged' ? 'none' : compareSchema(migrationsIn(source))
  const folder = dirname(file)
  if (source === 'damaged' || schema === 'none') return fail(`${file} is damaged or not a Lectern database.`)
  if (schema === 'older')
    fail(
      `${file} has an older schema. Bring it up to date first with: DATABASE_URL= LECTERN_DATA=${folder} lectern migrate`,
    )
  if (schema === 'newer') fail(`${file} has a newer schema than this release. Use the release that brought it there.`)
  return source
}

const explain = (error: unknown): never => {
  if (!(error instanceof CopyRefused)) throw error
  return fail(
    error.reason === 'filled'
      ? `The database of DATABASE_URL is not empty: there is data in ${error.table}. Nothing was changed. Copy into an empty one.`
      : `PostgreSQL gave back something else than was copied into ${error.table}. Nothing was kept: it is as empty as before.`,
  )
}

const resultOf = (tables: CopiedTable[]) => {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return [
    ...tables.map(({ name, rows, checksum }) => `same     ${name}  ${rows} rows  ${checksum.slice(0, 16)}`),
    `Copied ${rows} rows in ${tables.length} tables; count and checksum of each are the same on both sides.`,
  ]
}

export const copyCommand = async (from: string) => {
  if (!readConfig(process.env).databaseUrl) fail('Set DATABASE_URL to the PostgreSQL database to copy into.')
  await withStore(async (db, config) => {
    const file = resolve(from)
    const source = openSource(file)
    const copying = copyInto(db, source, showProgress()).catch(explain)
    const tables = await copying.finally(() => source.close())
    const [key, place] = [join(dirname(file), 'master.key'), join(config.data, 'master.key')]
    print(
      { file, tables, masterKey: { from: key, to: place } },
      ...resultOf(tables),
      key === place
        ? `The master key stays in ${key}: start with the same LECTERN_DATA.`
        : `The master key is not in the database. Copy ${key} to ${place}, with mode 600, before you start.`,
      `Start with the same DATABASE_URL. ${file} is as it was: keep it until all is well, and start no service on it.`,
    )
  })
}
