import type { Keys } from '../identity/keys.ts'
import type { Db } from './tables.ts'

/** Whether the database belongs to this master key, which the first start decides. No other key can decrypt its secrets. */
export const belongsToKey = async (db: Db, keys: Keys): Promise<boolean> => {
  const name = 'master key'
  const value = keys.fingerprint(name)
  await db
    .insertInto('installation')
    .values({ name, value })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const row = await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return row.value === value
}
