import { type Dialect, PostgresDialect } from 'kysely'
import pg from 'pg'

// bigint: our times and counts are far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export const postgresDialect = (connectionString: string): Dialect => {
  const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 5000 })
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  return new PostgresDialect({ pool })
}
