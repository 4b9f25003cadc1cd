const connectionFailures = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE'])

/** Failures of the database itself that pass: busy, out of space, out of reach. The same request may succeed later. */
export const isStorageFailure = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (typeof code !== 'string')
    return /timeout exceeded when trying to connect|Connection terminated/.test(error.message)
  return (
    /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|ABORT_ROLLBACK|PROTOCOL)/.test(code) ||
    // PostgreSQL: connection, resources, operator intervention, and transactions it asks to repeat.
    /^(08|53|57|40)/.test(code) ||
    connectionFailures.has(code)
  )
}

/** The unique constraint that PostgreSQL found broken, else null. */
export const brokenUnique = (error: unknown): string | null => {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' ? String(constraint) : null
}
