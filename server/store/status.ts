import { sql } from 'kysely'
import { isPostgres } from './dialect.ts'
import type { Db } from './tables.ts'

/** How many rows of the table are so; there is an index of those alone. */
const count = async (db: Db, table: string, condition: string) => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from ${sql.table(table)} where ${sql.raw(condition)}`.execute(db)
  return Number(rows[0]?.count)
}

/** How much is going on, and how many webhooks are in trouble. */
export const countAll = async (db: Db) => {
  const [live, participants, failingWebhooks, blockedWebhooks] = await Promise.all([
    count(db, 'calls', '"endedAt" is null'),
    count(db, 'stays', '"leftAt" is null'),
    count(db, 'webhooks', '"failingSince" is not null'),
    count(db, 'webhooks', '"blockedAt" is not null'),
  ])
  return { live, participants, failingWebhooks, blockedWebhooks }
}

/** By the connections that nodes hold on PostgreSQL, under names that begin with this; SQLite has one node. */
export const countNodes = async (db: Db, prefix: string): Promise<number> => {
  if (!isPostgres(db)) return 1
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from pg_stat_activity
    where datname = current_database() and starts_with(application_name, ${prefix})`.execute(db)
  return Number(rows[0]?.count)
}
