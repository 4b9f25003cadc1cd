import { existsSync, renameSync, rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { booleanColumns, readBooleans, storeBooleans } from './booleans.ts'
import type { SqliteExtras } from './dialect.ts'
import { UndoneWithOthers } from './failures.ts'
import type { QuickAdapter } from './prepared.ts'

interface Statement {
  prepared: Database.Statement
  /** It says how many rows it has changed; other changes, as of the schema, don't. */
  isCounted: boolean
  /** Those of its columns that hold one. */
  booleans: string[]
}

/** A database handle that keeps its prepared statements by their text. */
class Handle {
  readonly database: Database.Database
  readonly #statements = new Map<string, Statement>()

  constructor(file: string, options: Database.Options) {
    this.database = new Database(file, options)
  }

  statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      const prepared = this.database.prepare(sql)
      const booleans = prepared.reader ? booleanColumns(prepared.columns()) : []
      statement = { prepared, isCounted: /^\s*(insert|update|delete)\b/i.test(sql), booleans }
      // Texts that carry values of their own (lists of any length) must not fill the memory.
      if (this.#statements.size >= 1000) this.#statements.clear()
      this.#statements.set(sql, statement)
    }
    return statement
  }

  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const { prepared, booleans } = this.statement(sql)
    const stored = storeBooleans(parameters)
    if (prepared.reader) return { rows: readBooleans(prepared.all(stored) as R[], booleans) }
    const { changes, lastInsertRowid } = prepared.run(stored)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }
}

interface Member {
  begin: (error?: unknown) => void
  /** `isUndone`: rolled back after it has changed something. */
  end: (isUndone: boolean) => void
  ended: Promise<boolean>
  hasChanged: boolean
  /** Settles with the commit that the whole group shares. */
  committed: PromiseWithResolvers<void>
}

/** How long a writer of another process (a command, a backup tool) may keep us waiting. */
const BUSY_TIMEOUT_MS = 5000

const rolledBack = () =>
  Object.assign(new Error('the transaction has been rolled back'), { code: 'SQLITE_ABORT_ROLLBACK' })

/** How long it is expected that another transaction will be rolled back, once one was. */
const CAREFUL_MS = 1000

/**
 * Reads run on a handle of their own and never wait. Write transactions take turns on one handle, and those that wait
 * together share one commit, so that a crowd pays for one flush. None is told of success, nor of a failure that
 * another's work may have caused, before the commit is on disk.
 *
 * A transaction that is rolled back after it has changed something takes what others of its group have changed with it,
 * and all are repeated. Then, and for a while, each is a savepoint and rolled back alone. A savepoint keeps a copy of each
 * page before its first change, in a file: for a small transaction that takes as long as the changes.
 */
class GroupCommitDriver implements Driver {
  readonly #writer: Handle
  readonly #reader: Handle
  readonly #busyTimeoutMs: number
  #waiting: Member[] = []
  #running = false
  #version: unknown
  #carefulUntil = 0
  /** The failure that undid the whole group. */
  #undoneBy: unknown

  constructor(file: string, busyTimeoutMs: number) {
    this.#busyTimeoutMs = busyTimeoutMs
    this.#writer = new Handle(file, { timeout: 5000 })
    // WAL first, with the timeout already set: switching needs a lock another process may hold for a moment.
    this.#writer.database.pragma('journal_mode = WAL')
    this.#writer.database.pragma('synchronous = FULL')
    // Checkpoints flush too: fewer of them, for a larger log.
    this.#writer.database.pragma('wal_autocheckpoint = 8000')
    this.#writer.database.pragma('foreign_keys = ON')
    // From now on we wait ourselves: SQLite would keep everything else from being answered meanwhile.
    this.#writer.database.pragma('busy_timeout = 0')
    this.#reader = new Handle(file, { timeout: 5000, readonly: true })
    // Every index is written to, at its own place; what is read again the operating system keeps.
    this.#writer.database.pragma('cache_size = -16000')
    this.#reader.database.pragma('cache_size = -8000')
  }

  async init() {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new SqliteConnection(this)
  }

  async releaseConnection() {}

  async destroy() {
    this.#reader.database.close()
    this.#writer.database.close()
  }

  /** Since it was asked last. The reader never writes, so it was another process. */
  changedElsewhere(): boolean {
    const version = this.#writer.database.pragma('data_version', { simple: true })
    const isOther = this.#version !== undefined && this.#version !== version
    this.#version = version
    return isOther
  }

  isRead(sql: string): boolean {
    return this.#reader.statement(sql).prepared.readonly
  }

  read<R>(query: CompiledQuery): QueryResult<R> {
    return this.#reader.run(query.sql, query.parameters)
  }

  write<R>(query: CompiledQuery, member: Member): QueryResult<R> {
    // Some failures (a full disk) undo the whole group: what follows must not run by itself.
    if (!this.#writer.database.inTransaction) throw rolledBack()
    try {
      const result = this.#writer.run<R>(query.sql, query.parameters)
      member.hasChanged ||= this.#hasChanged(query.sql, result)
      return result
    } catch (error) {
      if (!this.#writer.database.inTransaction) this.#undoneBy = error
      throw error
    }
  }

  #hasChanged(sql: string, { rows, numAffectedRows }: QueryResult<unknown>): boolean {
    const { prepared, isCounted } = this.#writer.statement(sql)
    if (prepared.readonly) return false
    return !isCounted || (prepared.reader ? rows.length > 0 : numAffectedRows !== 0n)
  }

  async join(): Promise<Member> {
    const turn = Promise.withResolvers<void>()
    const end = Promise.withResolvers<boolean>()
    const member: Member = {
      begin: (error?: unknown) => (error ? turn.reject(error) : turn.resolve()),
      end: end.resolve,
      ended: end.promise,
      hasChanged: false,
      committed: Promise.withResolvers<void>(),
    }
    // A member may be gone before the commit is known to have failed.
    member.committed.promise.catch(() => {})
    this.#waiting.push(member)
    if (!this.#running) {
      this.#running = true
      // Once the requests that arrived together have all been read.
      setImmediate(() => this.#run())
    }
    await turn.promise
    return member
  }

  async #begin() {
    const deadline = performance.now() + this.#busyTimeoutMs
    for (let pause = 1; ; pause = Math.min(2 * pause, 50)) {
      try {
        this.#writer.run('BEGIN IMMEDIATE', [])
        return
      } catch (error) {
        const isBusy = (error as { code?: string }).code?.startsWith('SQLITE_BUSY')
        if (!isBusy || performance.now() > deadline) throw error
        await wait(pause)
      }
    }
  }

  async #run() {
    const { database } = this.#writer
    while (this.#waiting.length > 0) {
      const group: Member[] = []
      const isCareful = performance.now() < this.#carefulUntil
      let end = 'COMMIT'
      this.#undoneBy = undefined
      try {
        await this.#begin()
        while (group.length < 256) {
          const member = this.#waiting.shift()
          if (!member) break
          group.push(member)
          if (isCareful) this.#writer.run('SAVEPOINT member', [])
          member.begin()
          const isUndone = await member.ended
          if (!database.inTransaction) throw this.#undoneBy ?? rolledBack()
          if (isCareful) this.#leaveSavepoint(isUndone)
          else if (isUndone) {
            if (group.some(other => other !== member && other.hasChanged)) throw new UndoneWithOthers()
            end = 'ROLLBACK'
            break
          }
        }
        this.#writer.run(end, [])
        for (const member of group) member.committed.resolve()
      } catch (error) {
        if (database.inTransaction) this.#writer.run('ROLLBACK', [])
        if (error instanceof UndoneWithOthers) this.#carefulUntil = performance.now() + CAREFUL_MS
        // Those who wait now would meet the same failure; they are told at once instead of one after another.
        else for (const member of this.#waiting.splice(0)) member.begin(error)
        for (const member of group) {
          member.begin(error)
          member.committed.reject(error)
        }
      }
    }
    this.#running = false
  }

  async beginTransaction(connection: DatabaseConnection) {
    ;(connection as SqliteConnection).member = await this.join()
  }

  async commitTransaction(connection: DatabaseConnection) {
    await this.#leave(connection as SqliteConnection, false)
  }

  async rollbackTransaction(connection: DatabaseConnection) {
    await this.#leave(connection as SqliteConnection, true)
  }

  async #leave(connection: SqliteConnection, isRolledBack: boolean) {
    const { member } = connection
    if (!member) return
    connection.member = undefined
    member.end(isRolledBack && member.hasChanged)
    await member.committed.promise
  }

  #leaveSavepoint(isUndone: boolean) {
    if (isUndone) this.#writer.run('ROLLBACK TO member', [])
    this.#writer.run('RELEASE member', [])
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #driver: GroupCommitDriver
  member: Member | undefined

  constructor(driver: GroupCommitDriver) {
    this.#driver = driver
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.member) return this.#driver.write(query, this.member)
    if (this.#driver.isRead(query.sql)) return this.#driver.read(query)
    for (;;) {
      try {
        return await this.#writeAlone(query)
      } catch (error) {
        if (!(error instanceof UndoneWithOthers)) throw error
      }
    }
  }

  async #writeAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.member = await this.#driver.join()
    let result: QueryResult<R>
    try {
      result = this.#driver.write(query, this.member)
    } catch (error) {
      await this.#driver.rollbackTransaction(this)
      throw error
    }
    await this.#driver.commitTransaction(this)
    return result
  }

  // biome-ignore lint/correctness/useYield: part of the interface, and no query of ours streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not used')
  }
}

class Adapter extends SqliteAdapter implements QuickAdapter, SqliteExtras {
  readNow: NonNullable<QuickAdapter['readNow']>
  changedElsewhere: NonNullable<SqliteExtras['changedElsewhere']>
  constructor(driver: GroupCommitDriver) {
    super()
    this.changedElsewhere = () => driver.changedElsewhere()
    this.readNow = query => (driver.isRead(query.sql) ? driver.read(query) : null)
  }
  // The driver itself puts writers in line; Kysely would let one transaction in at a time, and none could share a commit.
  override get supportsMultipleConnections() {
    return true
  }
  // So a migration is done whole or not at all.
  override get supportsTransactionalDdl() {
    return true
  }
}

export const sqliteDialect = (file: string, busyTimeoutMs = BUSY_TIMEOUT_MS): Dialect => {
  const driver = new GroupCommitDriver(file, busyTimeoutMs)
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new Adapter(driver),
    createIntrospector: db => new SqliteIntrospector(db),
  }
}

/** A consistent copy of a database in use: one read transaction, which in WAL mode keeps no writer waiting. */
export const backupSqlite = (file: string, copy: string) => {
  const database = new Database(file, { timeout: 5000, fileMustExist: true })
  try {
    database.prepare('VACUUM INTO ?').run(copy)
  } finally {
    database.close()
  }
}

export type SqliteFile = Database.Database

/** For itself alone: nobody else can use it until it is closed. `in use`: by a service or a command. */
export const openAlone = (file: string): SqliteFile | 'in use' | 'damaged' => {
  const database = new Database(file, { timeout: 1000, fileMustExist: true })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
    database.exec('COMMIT')
    return database
  } catch (error) {
    database.close()
    const { code } = error as { code?: string }
    if (code?.startsWith('SQLITE_BUSY')) return 'in use'
    if (code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT')) return 'damaged'
    throw error
  }
}

/** The migrations it has had; null: it is not Lectern's. */
export const migrationsIn = (database: SqliteFile): string[] | null => {
  try {
    return database.prepare('select name from kysely_migration').pluck().all() as string[]
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_ERROR') return null
    throw error
  }
}

/** Whether every page of it can be read. */
export const isSound = (database: SqliteFile): boolean => {
  try {
    return database.pragma('quick_check', { simple: true }) === 'ok'
  } catch {
    return false
  }
}

/** Puts a whole database in the place of another, which goes. False: that one is in use. */
export const replaceSqlite = (fresh: string, file: string): boolean => {
  const old = existsSync(file) ? openAlone(file) : null
  if (old === 'in use') return false
  const held = old === 'damaged' ? null : old
  try {
    // Its log would be taken for the new one's. What is damaged may not be able to part with it.
    try {
      held?.pragma('journal_mode = DELETE')
    } catch {}
    for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    renameSync(fresh, file)
  } finally {
    held?.close()
  }
  return true
}
