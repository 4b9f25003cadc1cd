import { sql } from 'kysely'
import type { Db } from './tables.ts'

/* What a PostgreSQL database is used for, before a backup is put in its place. */

interface Occupancy {
  /** All tables there are. */
  tables: string[]
  /** Lectern's, or as good as: there is no table at all. */
  isOurs: boolean
  isFilled: boolean
  /** Connections of services and other commands. */
  users: number
}

/** What every database of ours has from its first migration on, whatever is in it. */
const isAlwaysFilled = (table: string) => table === 'installation' || table.startsWith('kysely_')

/** The first of these tables with data in it. */
export const findFilled = async (db: Db, tables: string[]): Promise<string | undefined> => {
  for (const table of tables) {
    if (isAlwaysFilled(table)) continue
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)
    if (rows.length > 0) return table
  }
  return undefined
}

export const occupancyOf = async (db: Db): Promise<Occupancy> => {
  const found = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() order by tablename
  `.execute(db)
  const tables = found.rows.map(({ name }) => name)
  const others = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name = current_setting('application_name')
  `.execute(db)
  return {
    tables,
    isOurs: tables.length === 0 || tables.includes('kysely_migration'),
    isFilled: (await findFilled(db, tables)) !== undefined,
    users: Number(others.rows[0]?.count),
  }
}
