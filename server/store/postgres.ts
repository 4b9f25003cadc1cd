import {
  type Dialect,
  type Kysely,
  type MigrationLockOptions,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely'
import pg from 'pg'
import { booleanColumns, readBooleans, storeBooleans } from './booleans.ts'
import { ConnectionLost, isStalePlan } from './failures.ts'
import { createNames } from './names.ts'

// bigint: our times and counts are far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** The server closes the connection after such an answer, a moment later: shutdown, protocol, its own timeouts. */
const isLastAnswer = (error: unknown) => /^(08|25P0[345]|57P)/.test((error as { code?: string }).code ?? '')

/** In milliseconds. What takes longer fails, and the caller is told to try again. */
const usualTimeouts = { statement_timeout: 20_000, lock_timeout: 5000, idle_in_transaction_session_timeout: 20_000 }

/** An operator's own `options` in the address come after ours, and so count. */
const withTimeouts = (address: string) => {
  const url = new URL(address)
  const ours = Object.entries(usualTimeouts).map(([name, milliseconds]) => `-c ${name}=${milliseconds}`)
  url.searchParams.set('options', [...ours, url.searchParams.get('options') ?? ''].join(' ').trim())
  return url.href
}

const timeouts = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']

/** Migrations take as long as they take, and wait for another node's; afterwards their connection is as before. */
class UntimedMigrationAdapter extends PostgresAdapter {
  #usual: { name: string; setting: string }[] = []

  override async acquireMigrationLock(db: Kysely<unknown>, options: MigrationLockOptions) {
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting, set_config(name, '0', false) from pg_settings where name in (${sql.join(timeouts)})
    `.execute(db)
    this.#usual = rows
    await super.acquireMigrationLock(db, options)
  }

  override async releaseMigrationLock(db: Kysely<unknown>, options: MigrationLockOptions) {
    await super.releaseMigrationLock(db, options)
    for (const { name, setting } of this.#usual) await sql`select set_config(${name}, ${setting}, false)`.execute(db)
  }
}

class UntimedMigrationDialect extends PostgresDialect {
  override createAdapter() {
    return new UntimedMigrationAdapter()
  }
}

export interface PoolOptions {
  connections: number
  /** How long to wait for a free one, or a new one. */
  acquireTimeoutMs: number
}

export const postgresDialect = (address: string, { connections, acquireTimeoutMs }: PoolOptions): Dialect => {
  const pool = new pg.Pool({
    connectionString: withTimeouts(address),
    max: connections,
    connectionTimeoutMillis: acquireTimeoutMs,
    fallback_application_name: 'lectern',
  })
  const names = createNames()
  const broken = new WeakSet<pg.ClientBase>()
  // An error that nobody listens to would end the process, and the pool listens to clients that are idle alone.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => broken.add(client)))

  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect().catch(error => {
      throw new ConnectionLost(error)
    })
    const send = (text: string, values: unknown[]) => {
      const name = values.length > 0 ? names.of(text) : undefined
      return client.query({ text, values, ...(name && { name }) })
    }
    const query = async <R>(text: string, parameters: readonly unknown[]) => {
      const values = storeBooleans(parameters)
      try {
        const result = await send(text, values).catch(error => {
          if (!isStalePlan(error)) throw error
          names.renew()
          // A transaction has failed with it, and is to be repeated as a whole.
          if (client.getTransactionStatus() !== 'I') throw error
          return send(text, values)
        })
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

  return new UntimedMigrationDialect({ pool: { connect, end: () => pool.end(), options: pool.options } })
}
