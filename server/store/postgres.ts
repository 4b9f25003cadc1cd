import { type Dialect, PostgresDialect, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { booleanColumns, readBooleans, storeBooleans } from './booleans.ts'
import { ConnectionLost } from './failures.ts'

// bigint: our times and counts are far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** The server closes the connection after such an answer, a moment later: shutdown, protocol, its own timeouts. */
const isLastAnswer = (error: unknown) => /^(08|25P0[345]|57P)/.test((error as { code?: string }).code ?? '')

export const postgresDialect = (connectionString: string): Dialect => {
  const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 5000 })
  const broken = new WeakSet<pg.ClientBase>()
  // An error that nobody listens to would end the process, and the pool listens to clients that are idle alone.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => broken.add(client)))

  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect().catch(error => {
      throw new ConnectionLost(error)
    })
    const query = async <R>(sql: string, parameters: readonly unknown[]) => {
      try {
        const result = await client.query(sql, storeBooleans(parameters))
        readBooleans(result.rows, booleanColumns(result.fields))
        return result as unknown as PostgresQueryResult<R>
      } catch (error) {
        if (isLastAnswer(error)) broken.add(client)
        throw broken.has(client) ? new ConnectionLost(error as Error) : error
      }
    }
    return {
      query: query as PostgresPoolClient['query'],
      release: isDiscarded => client.release(isDiscarded || broken.has(client)),
    }
  }

  return new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } })
}
