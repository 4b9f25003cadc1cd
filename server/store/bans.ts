import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../contract/common.ts'
import { newId } from '../ids.ts'
import { banTarget, type Caller } from '../rules.ts'
import { page } from './page.ts'
import type { Db, Trx } from './tables.ts'

/** The ban from `rooms` under this key of a person. */
export const banOf = (personKey: RawBuilder<string>) =>
  sql<string | null>`(select id from bans where bans."roomId" = rooms.id and bans.person = ${personKey})`

/** The ban from `rooms` of whoever this is in another system, whichever link they came by. */
export const banOfExternalUser = (externalUserId: RawBuilder<string | null>) =>
  sql<
    string | null
  >`(select id from bans where bans."roomId" = rooms.id and bans."externalUserId" = ${externalUserId} limit 1)`

const linkNamesPerson = async (db: Db, linkId: string): Promise<boolean> =>
  (await db
    .selectFrom('links')
    .select('id')
    .where('id', '=', linkId)
    .where(link => link.or([link('username', 'is not', null), link('externalUserId', 'is not', null)]))
    .executeTakeFirst()) !== undefined

/** undefined: they are banned already. */
export const ban = async (
  trx: Trx,
  roomId: string,
  caller: Caller,
  now: number,
): Promise<{ id: string } | undefined> => {
  const { kind, id } = banTarget(caller, caller.kind === 'guest' && (await linkNamesPerson(trx, caller.linkId)))
  return trx
    .insertInto('bans')
    .values({
      id: newId(now),
      roomId,
      person: `${kind}:${id}`,
      externalUserId: caller.kind === 'guest' ? caller.externalUserId : null,
      name: caller.name,
      createdAt: now,
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
}

export const listBans = (db: Db, roomId: string, query: PageQuery) =>
  page(db.selectFrom('bans').selectAll().where('roomId', '=', roomId), 'bans.id', 'desc', query, ({ id }) => id)

/** With every other ban of the same external user. The name of the banned person; undefined: there is no such ban. */
export const liftBan = async (trx: Trx, roomId: string, id: string) => {
  const lifted = await trx
    .deleteFrom('bans')
    .where('id', '=', id)
    .where('roomId', '=', roomId)
    .returning(['name', 'externalUserId'])
    .executeTakeFirst()
  if (lifted && lifted.externalUserId !== null)
    await trx
      .deleteFrom('bans')
      .where('roomId', '=', roomId)
      .where('externalUserId', '=', lifted.externalUserId)
      .execute()
  return lifted
}
