import type { Keys } from '../identity/keys.ts'
import type { Db } from './tables.ts'

/** Whether the database was made with this master key; the first start settles it. Another one could open no secret in it. */
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
