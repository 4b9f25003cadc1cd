import { timingSafeEqual } from 'node:crypto'
import type { PageQuery } from '../../contract/common.ts'
import { hashToken, randomToken } from '../identity/keys.ts'
import { isId, newId } from '../ids.ts'
import { page } from './page.ts'
import type { Db, Row, Trx } from './tables.ts'

export const createClient = async (trx: Trx, userId: string, name: string, now: number) => {
  const clientId = newId(now)
  const clientSecret = randomToken()
  await trx
    .insertInto('clients')
    .values({ id: clientId, userId, name: name.trim(), secretHash: hashToken(clientSecret), createdAt: now })
    .execute()
  return { clientId, clientSecret }
}

/** The client whose secret this is, else null. */
export const findClient = async (db: Db, id: string, secret: string): Promise<Row<'clients'> | null> => {
  if (!isId(id)) return null
  const client = await db.selectFrom('clients').selectAll().where('id', '=', id).executeTakeFirst()
  return client && timingSafeEqual(Buffer.from(client.secretHash), Buffer.from(hashToken(secret))) ? client : null
}

export const hasClient = async (db: Db, id: string): Promise<boolean> =>
  isId(id) && (await db.selectFrom('clients').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

export const listClients = (db: Db, userId: string, query: PageQuery) =>
  page(
    db.selectFrom('clients').selectAll().where('userId', '=', userId),
    'clients.id',
    'desc',
    query,
    client => client.id,
  )

/** All of the user; their tokens, and those that others got through them, end with them. */
export const deleteClients = async (trx: Trx, userId: string) => {
  await trx.deleteFrom('clients').where('userId', '=', userId).execute()
}

/** What it was; undefined: the user has no such client. */
export const deleteClient = (trx: Trx, userId: string, id: string) =>
  trx
    .deleteFrom('clients')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning(['id', 'name'])
    .executeTakeFirst()
