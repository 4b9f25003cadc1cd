import type { Tables } from './tables.ts'

/*
 * Booleans are stored as 0 and 1, which both databases have. Each driver turns them at its edge, so that nothing above
 * it knows. Columns are told by their names: `is…`, `has…` or `was…`.
 */

export const isBooleanColumn = (name: string) => /^(?:is|has|was)[A-Z]/.test(name)

type IsBooleanName<Name> = Name extends `${'is' | 'has' | 'was'}${infer First}${string}`
  ? First extends Uppercase<First>
    ? true
    : false
  : false
type IsBoolean<Type> = [boolean] extends [Type] ? true : false
type Misnamed<Table> = {
  [C in keyof Table]: IsBoolean<Table[C]> extends IsBooleanName<C> ? never : C
}[keyof Table]
type None<T extends never> = T
/** Does not compile with a boolean that is not named so, or anything else that is. */
export type MisnamedColumns = None<{ [T in keyof Tables]: Misnamed<Tables[T]> }[keyof Tables]>

export const storeBooleans = (parameters: readonly unknown[]) =>
  parameters.map(value => (typeof value === 'boolean' ? Number(value) : value))

export const booleanColumns = (columns: readonly { name: string }[]) =>
  columns.map(({ name }) => name).filter(isBooleanColumn)

/** In place. null stays: the row of an outer join that found none. */
export const readBooleans = <R>(rows: R[], columns: string[]): R[] => {
  for (const row of rows as Record<string, unknown>[])
    for (const column of columns) {
      if (row[column] === 1) row[column] = true
      else if (row[column] === 0) row[column] = false
    }
  return rows
}
