import type { Duplex } from 'node:stream'
import {
  type Dialect,
  Kysely,
  type MigrationLockOptions,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely'
import pg from 'pg'
import { booleanColumns, readBooleans, storeBooleans } from './booleans.ts'
import type { PostgresExtras } from './dialect.ts'
import { ConnectionLost, isStalePlan } from './failures.ts'
import { createNames } from './names.ts'
import { NOTHING, type PacketClient } from './packets.ts'
import { isRead, isSentWithNext, type QuickAdapter } from './prepared.ts'
import { createSharedReads } from './sharedReads.ts'
import { createSharedWrites } from './sharedWrites.ts'
import type { Tables } from './tables.ts'

// bigint: our times and counts are far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
// As SQLite gives it: whoever asked for it reads it.
pg.types.setTypeParser(pg.types.builtins.JSON, String)

/** The server closes the connection after such an answer, a moment later: shutdown, protocol, its own timeouts. */
const isLastAnswer = (error: unknown) => {
  const { code = '', severity = '' } = error as { code?: string; severity?: string }
  return /^(08|25P0[345]|57P)/.test(code) || severity === 'FATAL' || severity === 'PANIC'
}

const settings = {
  // In milliseconds. What takes longer fails, and the caller is told to try again.
  statement_timeout: 20_000,
  lock_timeout: 5000,
  idle_in_transaction_session_timeout: 20_000,
  // Every query has its index whatever it is asked, and planning a standing takes longer than finding it.
  plan_cache_mode: 'force_generic_plan',
  // Nothing of ours runs long enough: compiling the claim of a few deliveries beside millions takes 50 times as long.
  jit: 'off',
}

/** An operator's own `options` in the address come after ours, and so count. */
const withSettings = (address: string) => {
  const url = new URL(address)
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  url.searchParams.set('options', [...ours, url.searchParams.get('options') ?? ''].join(' ').trim())
  return url.href
}

const timeouts = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']

class Adapter extends PostgresAdapter implements QuickAdapter, PostgresExtras {
  readNow: NonNullable<QuickAdapter['readNow']>
  sharing: NonNullable<PostgresExtras['sharing']>
  /** The usual timeouts. */
  #usual: { name: string; setting: string }[] = []

  constructor(read: ReturnType<typeof createSharedReads>, sharing: Kysely<Tables>) {
    super()
    this.sharing = sharing
    this.readNow = query => (isRead(query.sql) ? read(query) : null)
  }

  /* Migrations take as long as they take, and wait for another node's; afterwards their connection is as before. */

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

class SharingAdapter extends PostgresAdapter implements PostgresExtras {
  readonly isShared = true
}

interface Statement {
  text: string
  values: unknown[]
}

const BEGIN: Statement = { text: 'begin', values: [] }

export interface PoolOptions {
  connections: number
  /** How long to wait for a free one, or a new one. */
  acquireTimeoutMs: number
}

export const postgresDialect = (address: string, { connections, acquireTimeoutMs }: PoolOptions): Dialect => {
  const pool = new pg.Pool({
    connectionString: withSettings(address),
    pipeline: true,
    max: connections,
    connectionTimeoutMillis: acquireTimeoutMs,
    fallback_application_name: 'lectern',
  })
  const names = createNames()
  const broken = new WeakSet<pg.ClientBase>()
  // An error that nobody listens to would end the process, and the pool listens to clients that are idle alone.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => broken.add(client)))

  const wrap = (client: pg.PoolClient): PacketClient => {
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
    const inOnePacket = <T>(sendAll: () => T): T => {
      stream.cork()
      try {
        return sendAll()
      } finally {
        stream.uncork()
      }
    }
    /** What nobody waits for alone. */
    let ahead: Statement[] = []
    // Given an object, the driver copies each of its properties with its descriptor, which takes longer than all else.
    const send = ({ text, values }: Statement) =>
      new Promise<pg.QueryResult>((done, fail) => {
        const query = new pg.Query(text, values, (error, result) => (error ? fail(error) : done(result)))
        const name = values.length > 0 ? names.of(text) : undefined
        client.query(Object.assign(query, { name }))
      })
    /** In this order, without waiting in between; gives the answer to the last. */
    const sendAll = async (statements: Statement[]) => {
      const answers = inOnePacket(() => statements.map(send))
      // The first failure is what happened, and those behind it fail for its sake.
      for (const answer of answers) answer.catch(() => {})
      for (const answer of answers.slice(0, -1)) await answer
      return answers.at(-1) as Promise<pg.QueryResult>
    }
    const sendWithAhead = async (statement: Statement) => {
      const all = statement.text === 'rollback' ? [statement] : [...ahead, statement]
      ahead = []
      // A change that came without its transaction could not be taken back.
      if (all[0] === BEGIN && !all.every(({ text }) => text === BEGIN.text || isRead(text)))
        await send(all.shift() as Statement)
      return sendAll(all)
    }
    const query = async <R>(text: string, parameters: readonly unknown[]) => {
      const values = storeBooleans(parameters)
      const statement = text === BEGIN.text ? BEGIN : { text, values }
      if (statement === BEGIN || isSentWithNext(text)) {
        ahead.push(statement)
        return NOTHING as PostgresQueryResult<R>
      }
      const isAlone = ahead.length === 0
      try {
        const result = await sendWithAhead(statement).catch(error => {
          if (!isStalePlan(error)) throw error
          names.renew()
          // A transaction has failed with it, and is to be repeated as a whole.
          if (!isAlone || client.getTransactionStatus() !== 'I') throw error
          return send(statement)
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
      inOnePacket,
      cut: () => stream.destroy(),
      release(isDiscarded) {
        ahead = []
        client.release(isDiscarded || broken.has(client))
      },
    }
  }

  const wrapped = new WeakMap<pg.PoolClient, PacketClient>()
  const connect = async (): Promise<PacketClient> => {
    const client = await pool.connect().catch(error => {
      throw new ConnectionLost(error)
    })
    const known = wrapped.get(client)
    if (known) return known
    const made = wrap(client)
    wrapped.set(client, made)
    return made
  }

  const join = createSharedWrites(connect)
  const sharing = dialectOver(new SharingAdapter(), {
    connect: async () => join(),
    end: async () => {},
    options: pool.options,
  })
  return dialectOver(new Adapter(createSharedReads(connect), new Kysely({ dialect: sharing })), {
    connect,
    end: () => pool.end(),
    options: pool.options,
  })
}

const dialectOver = (adapter: PostgresAdapter, pool: PostgresPool): Dialect => {
  const dialect = new PostgresDialect({ pool })
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => adapter,
    createIntrospector: db => dialect.createIntrospector(db),
  }
}
