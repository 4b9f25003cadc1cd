import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../../server/config.ts'
import { openDb } from '../../server/store/db.ts'
import { startPostgres } from './postgres.ts'

/* Once for the whole test run. */

/** Of either kind, with the schema and nothing in it, to be copied: making it anew takes four times as long. */
const makeMigrated = async (server: string, folder: string) => {
  const database = 'lectern_migrated'
  const admin = new pg.Client(`${server}/postgres`)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${database}`)
  await admin.end()
  for (const DATABASE_URL of [`${server}/${database}`, ''])
    await (await openDb(readConfig({ DATABASE_URL, LECTERN_DATA: folder }))).destroy()
  return { database, file: join(folder, 'lectern.db') }
}

export default async ({ provide }: TestProject) => {
  const { url, stop } = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'lectern-migrated-'))
  provide('postgres', url)
  provide('migrated', await makeMigrated(url, folder))
  return async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the test run's PostgreSQL server, without a database. */
    postgres: string
    /** Its database that has the schema, and nobody connected; and such a file of SQLite's. */
    migrated: { database: string; file: string }
    /** What the service under test stores in. */
    database: 'sqlite' | 'postgres' | 'nodes'
  }
}
