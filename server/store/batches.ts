import { type RawBuilder, sql } from 'kysely'
import type { Db, Tables } from './tables.ts'

export const BATCH = 500

/** Few enough at a time that others have their turn in between. */
export const inBatches = function* <T>(items: T[], size = BATCH): Generator<T[]> {
  for (let done = 0; done < items.length; done += size) yield items.slice(done, done + size)
}

/**
 * Deletes some of the rows for which `isOld` holds: few enough that nobody waits long for the database, so of a table
 * whose rows take many others along those go first. Says whether there may be more.
 */
export const deleteSome = async <T extends keyof Tables>(
  db: Db,
  table: T,
  key: keyof Tables[T] & string,
  isOld: RawBuilder<unknown>,
  batch = BATCH,
): Promise<boolean> => {
  const old = sql`select ${sql.ref(key)} from ${sql.table(table)} where ${isOld} limit ${batch}`
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${sql.ref(key)} in (${old})`.execute(db)
  return Number(numAffectedRows) === batch
}
