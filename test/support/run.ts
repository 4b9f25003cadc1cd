import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../../server/config.ts'
import { openDb } from '../../server/store/db.ts'
import { startPostgres } from './postgres.ts'

/* Once for the whole test run. */

/** A database with the schema and nothing in it, which others are copied from: making it anew takes four times as long. */
const makeMigrated = async (server: string) => {
  const name = 'lectern_migrated'
  const admin = new pg.Client(`${server}/postgres`)
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  await admin.end()
  await (await openDb(readConfig({ DATABASE_URL: `${server}/${name}` }))).destroy()
  return name
}

export default async ({ provide }: TestProject) => {
  const { url, stop } = await startPostgres()
  provide('postgres', url)
  provide('migrated', await makeMigrated(url))
  return stop
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the test run's PostgreSQL server, without a database. */
    postgres: string
    /** Its database that has the schema, and nobody connected. */
    migrated: string
    /** What the service under test stores in. */
    database: 'sqlite' | 'postgres' | 'nodes'
  }
}
