import type { PageQuery } from '../../contract/common.ts'
import type { NewSpace, Plan, SpacePatch } from '../../contract/spaces.ts'
import { newId } from '../ids.ts'
import { isPlanActive } from '../rules.ts'
import { closeChannels } from './channels.ts'
import { cancelPending } from './deliveries.ts'
import { keyOfUser } from './members.ts'
import { page } from './page.ts'
import { deleteRecordsOf } from './records.ts'
import { type Db, isOwner, type Row, type Trx } from './tables.ts'
import { findWebhook } from './webhooks.ts'

export const createSpace = async (
  trx: Trx,
  ownerId: string,
  { name, description, logo, isPublic = false }: NewSpace,
  plan: Plan,
  now: number,
): Promise<string> => {
  const id = newId(now)
  await trx
    .insertInto('spaces')
    .values({
      id,
      name: name.trim(),
      description: description ?? null,
      logo: logo ?? null,
      isPublic,
      plan,
      planActiveUntil: null,
      createdAt: now,
    })
    .execute()
  await trx
    .insertInto('members')
    .values({
      id: newId(now),
      spaceId: id,
      userId: ownerId,
      role: 'role_space_owner',
      joinedAt: now,
      nameKey: await keyOfUser(trx, ownerId),
    })
    .execute()
  return id
}

export const spaceExists = async (db: Db, id: string) =>
  (await db.selectFrom('spaces').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

export const listSpaces = (db: Db, userId: string, query: PageQuery) =>
  page(
    db
      .selectFrom('members')
      .innerJoin('spaces', 'spaces.id', 'members.spaceId')
      .selectAll('spaces')
      .select('members.role as role')
      .where('members.userId', '=', userId),
    'members.spaceId',
    'desc',
    query,
    space => space.id,
  )

export const listAllSpaces = (db: Db, query: PageQuery) =>
  page(
    db
      .selectFrom('members')
      .innerJoin('spaces', 'spaces.id', 'members.spaceId')
      .innerJoin('users', 'users.id', 'members.userId')
      .select(['spaces.id', 'spaces.name', 'spaces.plan', 'spaces.planActiveUntil'])
      .select(['users.id as ownerId', 'users.username as ownerUsername'])
      .where('members.role', '=', isOwner),
    'members.spaceId',
    'desc',
    query,
    space => space.id,
  )

export const updateSpace = (trx: Trx, id: string, change: SpacePatch): Promise<Row<'spaces'>> =>
  trx
    .updateTable('spaces')
    .set({
      ...change,
      ...(change.name !== undefined && { name: change.name.trim() }),
      // An empty change is no syntax error.
      id,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Without an active plan what is pending for the webhook is cancelled; `webhookId` is then the one concerned. */
export const setPlan = async (trx: Trx, id: string, plan: Plan, planActiveUntil: number | null, now: number) => {
  const space = await trx
    .updateTable('spaces')
    .set({ plan, planActiveUntil })
    .where('id', '=', id)
    .returning(['id', 'name', 'plan', 'planActiveUntil'])
    .executeTakeFirst()
  if (!space) return undefined
  const webhook = isPlanActive(space, now) ? undefined : await findWebhook(trx, id)
  if (webhook) await cancelPending(trx, webhook.id)
  return { ...space, webhookId: webhook?.id ?? null }
}

/** Its rooms, members, invites, roles, links and guests go with it. */
export const deleteSpace = async (trx: Trx, id: string, now: number) => {
  await closeChannels(trx, { column: 'spaceId', value: id }, now)
  await deleteRecordsOf(trx, { column: 'spaceId', value: id }, now)
  await trx.deleteFrom('spaces').where('id', '=', id).execute()
}
