import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { storeBooleans } from './booleans.ts'
import { findFilled } from './occupancy.ts'
import type { SqliteFile } from './sqlite.ts'
import type { Db, Trx } from './tables.ts'
import { liftTimeouts } from './timeouts.ts'

/* Moves an installation from SQLite into PostgreSQL, in one transaction: all of it is there afterwards, or nothing. */

export interface CopiedTable {
  name: string
  rows: number
  checksum: string
}

export class CopyRefused extends Error {
  override name = 'CopyRefused'
  /** `filled`: there is data in the target. `differs`: what it gave back is not what was copied. */
  readonly reason: 'filled' | 'differs'
  readonly table: string

  constructor(reason: 'filled' | 'differs', table: string) {
    super(`${reason}: ${table}`)
    this.reason = reason
    this.table = table
  }
}

type Values = unknown[]

const BATCH_ROWS = 500
const BATCH_CHARACTERS = 4_000_000

/** All of Lectern's, each after those it refers to. */
const tablesOf = (source: SqliteFile): string[] => {
  const names = source
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%' order by name",
    )
    .pluck()
    .all() as string[]
  const parents = source.prepare('select "table" from pragma_foreign_key_list(?)').pluck()
  const ordered = new Set<string>()
  const add = (name: string) => {
    if (ordered.has(name)) return
    for (const parent of parents.all(name) as string[]) if (parent !== name) add(parent)
    ordered.add(name)
  }
  for (const name of names) add(name)
  return [...ordered]
}

const columnsOf = (source: SqliteFile, table: string) =>
  source.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[]

const columnList = (columns: string[]) => sql.join(columns.map(column => sql.ref(column)))

/** The same for the same rows in any order. */
const createChecksum = () => {
  let rows = 0
  let sum = 0n
  return {
    add(values: Values) {
      rows++
      sum += BigInt(`0x${createHash('sha256').update(JSON.stringify(values)).digest('hex')}`)
    },
    result: () => ({ rows, checksum: BigInt.asUintN(256, sum).toString(16).padStart(64, '0') }),
  }
}

/** A few rows at a time, few enough for the memory also when they are large. */
function* batchesOf(source: SqliteFile, table: string, columns: string[]): Generator<Values[]> {
  const quoted = columns.map(column => `"${column}"`).join(', ')
  let batch: Values[] = []
  let characters = 0
  for (const values of source.prepare(`select ${quoted} from "${table}"`).raw().iterate() as Iterable<Values>) {
    batch.push(values)
    for (const value of values) characters += typeof value === 'string' ? value.length : 8
    if (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

const insert = async (trx: Trx, table: string, columns: string[], batch: Values[]) => {
  const rows = batch.map(values => Object.fromEntries(columns.map((column, index) => [column, values[index]])))
  await sql`
    insert into ${sql.table(table)} (${columnList(columns)})
    select ${columnList(columns)} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)
  `.execute(trx)
}

/** Of what the target itself gives back. */
const checksumIn = async (trx: Trx, table: string, columns: string[]) => {
  const checksum = createChecksum()
  await sql`declare copied no scroll cursor for select ${columnList(columns)} from ${sql.table(table)}`.execute(trx)
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`fetch ${sql.lit(BATCH_ROWS)} from copied`.execute(trx)
    for (const row of rows) checksum.add(storeBooleans(columns.map(column => row[column])))
    if (rows.length < BATCH_ROWS) break
  }
  await sql`close copied`.execute(trx)
  return checksum.result()
}

/** The target has the same schema, and `source` is nobody else's meanwhile. */
export const copyInto = async (
  db: Db,
  source: SqliteFile,
  onProgress: (table: string, rows: number, total: number) => void,
): Promise<CopiedTable[]> => {
  const tables = tablesOf(source)
  return db
    .withoutPlugins()
    .transaction()
    .execute(async trx => {
      await liftTimeouts(trx)
      // A service that is started meanwhile waits, and then finds everything.
      await sql`lock table ${sql.join(tables.map(table => sql.table(table)))} in exclusive mode`.execute(trx)
      const filled = await findFilled(trx, tables)
      if (filled !== undefined) throw new CopyRefused('filled', filled)
      // What `migrate` has written down there already.
      await trx.deleteFrom('installation').execute()
      const results: CopiedTable[] = []
      for (const table of tables) {
        const columns = columnsOf(source, table)
        const total = source.prepare(`select count(*) from "${table}"`).pluck().get() as number
        const checksum = createChecksum()
        let rows = 0
        for (const batch of batchesOf(source, table, columns)) {
          await insert(trx, table, columns, batch)
          for (const values of batch) checksum.add(values)
          rows += batch.length
          onProgress(table, rows, total)
        }
        const [sent, found] = [checksum.result(), await checksumIn(trx, table, columns)]
        if (sent.rows !== found.rows || sent.checksum !== found.checksum) throw new CopyRefused('differs', table)
        results.push({ name: table, ...found })
      }
      // Its plans would be those for empty tables until it finds the time.
      await sql`analyze ${sql.join(tables.map(table => sql.table(table)))}`.execute(trx)
      return results
    })
}
