import type { Space, SpaceRole } from '../../contract/spaces.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem, unlessRefused } from '../http/problem.ts'
import { isId } from '../ids.ts'
import { logoUrl } from '../images/logo.ts'
import { anyUser, managesSpace, mayChangeSpace, mayReadSpace, operatorOnly } from '../rules.ts'
import { changesOf } from '../store/audit.ts'
import { listOpenCalls } from '../store/calls.ts'
import { forgetLogo } from '../store/logos.ts'
import { findMember } from '../store/members.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import { metadataFrom } from '../store/references.ts'
import {
  createSpace,
  deleteSpace,
  listAllSpaces,
  listSpaces,
  passSpaceOn,
  setPlan,
  spaceChange,
  spaceExists,
  updateSpace,
} from '../store/spaces.ts'
import type { Row } from '../store/tables.ts'
import { nameOfUser } from '../store/users.ts'
import { findWebhook } from '../store/webhooks.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'

export const targetOf = ({ id, name }: Row<'spaces'>) => ({ type: 'space', id, name }) as const

export const toSpace = (space: Row<'spaces'>, role: SpaceRole | null, publicOrigin: string): Space => {
  const isWhole = managesSpace({ spaceRole: role })
  return {
    ...space,
    logo: logoUrl(publicOrigin, space.logo),
    role,
    planActiveUntil: isoTimeOrNull(space.planActiveUntil),
    createdAt: isoTime(space.createdAt),
    updatedAt: isoTime(space.updatedAt ?? space.createdAt),
    externalId: isWhole ? space.externalId : undefined,
    metadata: isWhole ? metadataFrom(space) : undefined,
  }
}

const problems = {
  external_id_taken: () => new Problem('external_id_taken', 'Another space of the owner has this external ID.'),
}

const toOwnedSpace = ({ ownerId, ownerUsername, planActiveUntil, ...space }: RowOf<typeof listAllSpaces>) => ({
  ...space,
  owner: { id: ownerId, username: ownerUsername },
  planActiveUntil: isoTimeOrNull(planActiveUntil),
})

export const spaceRoutes = (serve: Serve, { config, db, deliveries, live, now, publicOrigin, tell }: Context) => {
  serve('createSpaces', anyUser, ({ body, commit }) =>
    commit(async (trx, { caller }, audit) => {
      const created = await createSpace(trx, caller.userId, body, config.defaultPlan, now())
      const { id } = unlessRefused(created, problems)
      await audit({ action: 'space.created', spaceId: id, target: { type: 'space', id, name: body.name.trim() } })
      return { id }
    }),
  )

  serve('listSpaces', anyUser, async ({ at, query }) =>
    mapPage(await listSpaces(db, at.caller.userId, query), ({ role, ...space }) =>
      toSpace(space, role, publicOrigin()),
    ),
  )

  serve('getSpace', mayReadSpace, async ({ at }) => toSpace(at.space, at.spaceRole, publicOrigin()))

  serve(
    'updateSpace',
    mayChangeSpace,
    ({ body, commit }) =>
      commit(async (trx, at, audit) => {
        const { logo, ...change } = body
        // An uploaded logo that is sent back as it was read stays.
        const isNewLogo = logo !== undefined && logo !== logoUrl(publicOrigin(), at.space.logo)
        if (isNewLogo) await forgetLogo(trx, at.space.id)
        const stored = spaceChange({ ...change, ...(isNewLogo && { logo }) })
        const details = changesOf(at.space, stored)
        if (!details) return toSpace(at.space, at.spaceRole, publicOrigin())
        const space = unlessRefused(await updateSpace(trx, at.space, at.caller.userId, stored, now()), problems)
        await audit({ action: 'space.updated', target: targetOf(at.space), details })
        return toSpace(space, at.spaceRole, publicOrigin())
      }),
    { changes: 'space' },
  )

  serve(
    'deleteSpace',
    mayChangeSpace,
    ({ commit }) =>
      commit(async (trx, at, audit) => {
        const webhook = await findWebhook(trx, at.space.id)
        if (webhook) await deliveries.cut(trx, webhook.id, 'cancel')
        // Now: the calls, and with them the lists of their participants, are deleted with the space.
        for (const { channelId } of await listOpenCalls(trx, at.space.id)) await live.close(trx, channelId)
        await deleteSpace(trx, at.space.id, now())
        await audit({ action: 'space.deleted', target: targetOf(at.space) })
        return {}
      }),
    { changes: 'space' },
  )

  serve(
    'setSpaceOwner',
    mayChangeSpace,
    ({ body, commit }) =>
      commit(async (trx, at, audit) => {
        const member = await findMember(trx, at.space.id, body.userId)
        if (!member) throw new Problem('not_a_member', 'Only a member can become the owner. Invite them first.')
        if (body.userId !== at.caller.userId) {
          const passedOn = await passSpaceOn(trx, at.space, at.caller.userId, body.userId, now())
          unlessRefused(passedOn, problems)
          const target = { type: 'user', id: body.userId, name: nameOfUser(member) } as const
          await audit({ action: 'ownership.transferred', target })
          for (const [userId, role] of [
            [at.caller.userId, 'role_space_moderator'],
            [body.userId, 'role_space_owner'],
          ] as const)
            await tell(trx, at, 'member_role_changed', { roomId: '', userId, role })
        }
        return { userId: body.userId }
      }),
    { changes: 'space' },
  )

  serve(
    'setSpacePlan',
    operatorOnly,
    ({ params, body, commit }) =>
      commit(async (trx, _at, audit) => {
        const until = body.activeUntil == null ? null : Date.parse(body.activeUntil)
        const space = await setPlan(trx, params.spaceId, body.plan, until, now())
        if (!space) throw notFound('space')
        const { id, name, webhookId } = space
        const planActiveUntil = isoTimeOrNull(space.planActiveUntil)
        const details = { plan: space.plan, planActiveUntil }
        await audit({ action: 'plan.set', spaceId: id, target: { type: 'space', id, name }, details })
        if (webhookId) await deliveries.cut(trx, webhookId, 'cancel')
        return details
      }),
    {
      async find({ spaceId }) {
        if (!isId(spaceId) || !(await spaceExists(db, spaceId))) throw notFound('space')
      },
    },
  )

  serve('listAllSpaces', operatorOnly, async ({ query }) => mapPage(await listAllSpaces(db, query), toOwnedSpace))
}
