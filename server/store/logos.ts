import type { LogoType } from '../../contract/spaces.ts'
import type { Db, Row, Trx } from './tables.ts'

interface NewLogo {
  name: string
  type: LogoType
  bytes: Buffer
}

/** The space then shows it under the path. */
export const setLogo = async (
  trx: Trx,
  spaceId: string,
  { name, type, bytes }: NewLogo,
  path: string,
  now: number,
): Promise<Row<'spaces'>> => {
  const logo = { name, type, data: bytes.toString('base64'), createdAt: now }
  await trx
    .insertInto('logos')
    .values({ spaceId, ...logo })
    .onConflict(conflict => conflict.column('spaceId').doUpdateSet(logo))
    .execute()
  return trx
    .updateTable('spaces')
    .set({ logo: path, updatedAt: now })
    .where('id', '=', spaceId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const forgetLogo = async (trx: Trx, spaceId: string) => {
  await trx.deleteFrom('logos').where('spaceId', '=', spaceId).execute()
}

/** Of any space that has it: the same image has the same name. */
export const findLogo = async (db: Db, name: string) => {
  const logo = await db
    .selectFrom('logos')
    .select(['type', 'data'])
    .where('name', '=', name)
    .limit(1)
    .executeTakeFirst()
  return logo && { type: logo.type, bytes: Buffer.from(logo.data, 'base64') }
}
