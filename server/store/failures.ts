/**
 * There is no connection to the database server, or there was none any more when the answer was due: what was asked for,
 * a commit also, may have happened or not. So it is never repeated by us.
 */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
  readonly code: string | undefined

  constructor(cause: Error & { code?: string }) {
    // Of several addresses tried in vain only the codes say anything.
    super(cause.message || cause.code, { cause })
    this.code = cause.code
  }
}

/** A migration of another node has changed what a statement that PostgreSQL keeps for us gives. */
export const isStalePlan = (error: unknown): boolean => {
  const { code, routine } = error as { code?: unknown; routine?: unknown }
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

/** A transaction with which this one shared its commit was rolled back. Nothing of either has happened. */
export class UndoneWithOthers extends Error {
  override name = 'UndoneWithOthers'

  constructor() {
    super('the transaction has been rolled back with another')
  }
}

/** Aliases are made at random: in the rare case that another room has it, the next will do. */
const isAliasTaken = (error: unknown): boolean =>
  brokenUnique(error) === 'rooms_alias_key' ||
  (error as { message?: unknown }).message === 'UNIQUE constraint failed: rooms.alias'

/** To be run again; PostgreSQL asks for it when it ends one of several that stood in each other's way. */
export const isToRepeat = (error: unknown): boolean =>
  ['40001', '40P01'].includes((error as { code?: string }).code ?? '') ||
  isStalePlan(error) ||
  isAliasTaken(error) ||
  error instanceof UndoneWithOthers

/** PostgreSQL: of a statement, or of its wait for a lock. */
export const isTimeout = (error: unknown): boolean =>
  ['55P03', '57014'].includes((error as { code?: string }).code ?? '')

/** Failures of the database itself that pass: busy, out of space, out of reach. The same request may succeed later. */
export const isStorageFailure = (error: unknown): boolean => {
  if (error instanceof ConnectionLost || error instanceof UndoneWithOthers || isStalePlan(error)) return true
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return (
    typeof code === 'string' &&
    (/^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|ABORT_ROLLBACK|PROTOCOL)/.test(code) ||
      // PostgreSQL: only for reading, a statement that failed to be prepared for another before it, transactions to
      // repeat, resources, locks, operator intervention, its files.
      /^(25006|26000|40|53|55P03|57|58)/.test(code))
  )
}

/** The unique constraint that PostgreSQL found broken, else null. */
export const brokenUnique = (error: unknown): string | null => {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' ? String(constraint) : null
}

/** The schema is not that of this release; `none`: there is none yet. */
export class SchemaMismatch extends Error {
  override name = 'SchemaMismatch'
  readonly schema: 'none' | 'older' | 'newer'

  constructor(schema: 'none' | 'older' | 'newer') {
    super(`the schema is ${schema}`)
    this.schema = schema
  }
}
