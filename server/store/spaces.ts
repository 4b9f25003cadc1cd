import type { PageQuery } from '../../contract/common.ts'
import type { NewSpace, Plan, SpacePatch } from '../../contract/spaces.ts'
import { newId } from '../ids.ts'
import { isPlanActive } from '../rules.ts'
import { closeChannels } from './channels.ts'
import { cancelPending } from './deliveries.ts'
import { keyOfUser, transferOwnership } from './members.ts'
import { page } from './page.ts'
import { deleteRecordsOf } from './records.ts'
import { metadataText, unlessTaken } from './references.ts'
import { stopStreamsOf } from './streams.ts'
import { type Db, isOwner, type Row, type Trx } from './tables.ts'
import { findWebhook } from './webhooks.ts'

/** A space belongs to its owner: what they call it elsewhere is unique among theirs. */
const keyOf = (ownerId: string, externalId: string | null) => (externalId === null ? null : `${ownerId} ${externalId}`)

const findByKey = (trx: Trx, externalKey: string | null) =>
  externalKey === null
    ? null
    : () => trx.selectFrom('spaces').select('id').where('externalKey', '=', externalKey).executeTakeFirst()

export const createSpace = async (
  trx: Trx,
  ownerId: string,
  { name, description, logo, isPublic = false, externalId: given, metadata }: NewSpace,
  plan: Plan,
  now: number,
): Promise<{ id: string } | 'external_id_taken'> => {
  const id = newId(now)
  const externalId = given ?? null
  const externalKey = keyOf(ownerId, externalId)
  const added = await unlessTaken(findByKey(trx, externalKey), () =>
    trx
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
        externalId,
        externalKey,
        metadata: metadataText(metadata) ?? null,
        updatedAt: now,
      })
      .execute(),
  )
  if (added === 'external_id_taken') return added
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
  return { id }
}

export const spaceExists = async (db: Db, id: string) =>
  (await db.selectFrom('spaces').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

export const listSpaces = (db: Db, userId: string, { externalId, ...query }: PageQuery & { externalId?: string }) => {
  const spaces = db
    .selectFrom('members')
    .innerJoin('spaces', 'spaces.id', 'members.spaceId')
    .selectAll('spaces')
    .select('members.role as role')
    .where('members.userId', '=', userId)
  return externalId === undefined
    ? page(spaces, 'members.spaceId', 'desc', query, space => space.id)
    : page(
        spaces
          .where('spaces.externalId', '=', externalId)
          // To others it is not shown.
          .where('members.role', '!=', 'role_space_user'),
        'spaces.id',
        'desc',
        query,
        space => space.id,
      )
}

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

/** A change as it is stored. */
export const spaceChange = ({ name, metadata, ...change }: SpacePatch) => ({
  ...change,
  ...(name !== undefined && { name: name.trim() }),
  ...(metadata !== undefined && { metadata: metadataText(metadata) ?? null }),
})

/** By its owner. */
export const updateSpace = async (
  trx: Trx,
  { id, externalId: earlier }: Row<'spaces'>,
  ownerId: string,
  change: ReturnType<typeof spaceChange>,
  now: number,
): Promise<Row<'spaces'> | 'external_id_taken'> => {
  const { externalId } = change
  const isNew = externalId !== undefined && externalId !== earlier
  const externalKey = isNew ? keyOf(ownerId, externalId) : null
  return unlessTaken(findByKey(trx, externalKey), async () => {
    const { externalKey: _, ...space } = await trx
      .updateTable('spaces')
      .set({ ...change, ...(isNew && { externalKey }), updatedAt: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return space
  })
}

/** Swaps owner and member. Its external id must be free among the spaces of the new owner. */
export const passSpaceOn = async (
  trx: Trx,
  { id, externalId }: Row<'spaces'>,
  from: string,
  to: string,
  now: number,
): Promise<object | 'external_id_taken'> => {
  const externalKey = keyOf(to, externalId)
  return unlessTaken(findByKey(trx, externalKey), async () => {
    await transferOwnership(trx, id, from, to, now)
    await trx.updateTable('spaces').set({ externalKey, updatedAt: now }).where('id', '=', id).execute()
    return {}
  })
}

/** Without an active plan what is pending for the webhook is cancelled; `webhookId` is then the one concerned. */
export const setPlan = async (trx: Trx, id: string, plan: Plan, planActiveUntil: number | null, now: number) => {
  const space = await trx
    .updateTable('spaces')
    .set({ plan, planActiveUntil, updatedAt: now })
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
  await stopStreamsOf(trx, { column: 'spaceId', value: id }, now)
  await trx.deleteFrom('spaces').where('id', '=', id).execute()
}
