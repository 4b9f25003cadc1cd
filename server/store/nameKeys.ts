import { type Kysely, sql } from 'kysely'
import { BATCH } from './batches.ts'
import { rowsOf } from './json.ts'
import type { Db } from './tables.ts'

/** Longer than any search, and short enough for an index of PostgreSQL in whatever alphabet. */
const MAX_KEY_LENGTH = 200

/**
 * What names are found by: neither case nor the way a letter is written matters. Made here, since what a database makes
 * of letters depends on how it was built.
 */
export const nameKey = (name: string) =>
  [...name.trim().normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC')]
    .slice(0, MAX_KEY_LENGTH)
    .join('')

const LAST = 0x10_ff_ff

/** The first text after all that begin with the prefix, by code points; null: there is none. */
export const endOfPrefix = (prefix: string): string | null => {
  const points = [...prefix]
  while (points.length > 0) {
    const point = points.pop()?.codePointAt(0) ?? LAST
    // After this one come halves of pairs, which no stored text has.
    if (point < LAST) return points.join('') + String.fromCodePoint(point === 0xd7_ff ? 0xe0_00 : point + 1)
  }
  return null
}

const nameOfUser = 'coalesce("users"."displayName", "users"."username")'
const named = [
  { table: 'rooms', key: 'nameKey', name: '"rooms"."name"', from: '"rooms"' },
  { table: 'calls', key: 'roomNameKey', name: '"calls"."roomName"', from: '"calls"' },
  { table: 'users', key: 'nameKey', name: nameOfUser, from: '"users"' },
  {
    table: 'members',
    key: 'nameKey',
    name: nameOfUser,
    from: '"members" inner join "users" on "users"."id" = "members"."userId"',
  },
] as const

/**
 * Gives what goes through all names, a batch at a time, and makes the keys that are missing or out of date: the previous
 * release, which may still serve during an upgrade, knows none. It says whether there are more.
 */
export const createKeyRepair = <DB>(db: Kysely<DB>, batch = BATCH) => {
  let [step, after] = [0, '']
  return async (): Promise<boolean> => {
    const { table, key: column, name, from } = named[step] as (typeof named)[number]
    const [id, key] = [sql.ref(`${table}.id`), sql.ref(`${table}.${column}`)]
    const { rows } = await sql<{ id: string; name: string; key: string | null }>`
      select ${id} as "id", ${sql.raw(name)} as "name", ${key} as "key" from ${sql.raw(from)}
      where ${id} > ${after} order by ${id} limit ${batch}`.execute(db)
    const wrong = rows.flatMap(row => {
      const right = nameKey(row.name)
      return row.key === right ? [] : { id: row.id, right, wrong: row.key }
    })
    if (wrong.length > 0) {
      const columns = { id: 'text', right: 'text', wrong: 'text' } as const
      const given = rowsOf<Record<keyof typeof columns, string>>(db as unknown as Db, JSON.stringify(wrong), columns)
      // Unless it has been made anew since it was read.
      await sql`
        update ${sql.table(table)} set ${sql.ref(column)} = "given"."right" from ${given}
        where ${id} = "given"."id" and ${key} is not distinct from "given"."wrong"`.execute(db)
    }
    after = rows.at(-1)?.id ?? ''
    if (rows.length < batch) [step, after] = [(step + 1) % named.length, '']
    return step !== 0 || after !== ''
  }
}
