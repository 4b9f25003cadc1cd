import type { InviteRole } from '../../contract/invites.ts'
import type { Audit } from '../http/audit.ts'
import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem, unlessRefused } from '../http/problem.ts'
import { accountProblems, refuseAccount } from '../identity/accounts.ts'
import { verifyCaptcha } from '../identity/captcha.ts'
import { hashToken } from '../identity/keys.ts'
import { isId } from '../ids.ts'
import { logoUrl } from '../images/logo.ts'
import { anyone, anyUser, hasScope, mayManageInvites, mayManageInvitesFor, type SpaceStanding } from '../rules.ts'
import {
  activateInvite,
  createInvite,
  findInvite,
  type InviteRefusal,
  inspectInvite,
  listInvites,
  revokeInvite,
} from '../store/invites.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import type { Trx } from '../store/tables.ts'
import { accountRefusal, createUser } from '../store/users.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'

const toInvite = ({ usedByUsername, usedByDisplayName, ...invite }: RowOf<typeof listInvites>) => ({
  ...invite,
  usedByName: usedByDisplayName ?? usedByUsername,
  createdAt: isoTime(invite.createdAt),
  updatedAt: isoTime(Math.max(invite.createdAt, invite.usedAt ?? 0, invite.revokedAt ?? 0)),
  usedAt: isoTimeOrNull(invite.usedAt),
  revokedAt: isoTimeOrNull(invite.revokedAt),
})

const problems: Record<InviteRefusal, () => Problem> = {
  not_found: () => notFound('invite'),
  invite_used: () => new Problem('invite_used', 'This invite has already been used. Ask for a new one.'),
  invite_revoked: () => new Problem('invite_revoked', 'This invite has been revoked. Ask for a new one.'),
}

export const inviteRoutes = (
  serve: Serve,
  { config, db, keys, limits, now, passwords, publicOrigin, tell }: Context,
) => {
  /** One invite of those that a request asks for. */
  const invite = async (
    trx: Trx,
    at: SpaceStanding,
    audit: Audit<'invite.created'>,
    draft: { role: InviteRole; label?: string },
  ) => {
    const { role } = draft
    if (!mayManageInvitesFor(at, role))
      throw new Problem('not_allowed', 'Only the space owner can invite moderators.', { rule: 'mayManageInvitesFor' })
    const { id, token } = await createInvite(trx, keys, at.space.id, draft, at.caller.userId, now())
    await audit({ action: 'invite.created', target: { type: 'invite', id }, details: { role } })
    return token
  }

  serve('createInvite', mayManageInvites, ({ body, commit }) =>
    commit(async (trx, at, audit) => ({ id: await invite(trx, at, audit, body) })),
  )

  serve('createInvites', mayManageInvites, ({ body: { role, labels }, commit }) =>
    commit(async (trx, at, audit) => {
      const items: { id: string; label: string }[] = []
      for (const label of labels) items.push({ id: await invite(trx, at, audit, { role, label }), label: label.trim() })
      return { items }
    }),
  )

  serve('listInvites', mayManageInvites, async ({ at, query }) => {
    const role = mayManageInvitesFor(at, 'role_space_moderator') ? null : 'role_space_user'
    const invites = await listInvites(
      db,
      keys,
      at.space.id,
      { role, isUsable: hasScope(at.caller, 'invites:write') },
      query,
    )
    return mapPage(invites, toInvite)
  })

  serve('revokeInvite', mayManageInvites, ({ params, commit }) =>
    commit(async (trx, at, audit) => {
      const invite = await findInvite(trx, at.space.id, params.inviteId)
      if (!invite || !mayManageInvitesFor(at, invite.role)) throw notFound('invite')
      const { id, role, revokedAt } = invite
      if (revokedAt !== null) return {}
      if (!(await revokeInvite(trx, at.space.id, params.inviteId, now())))
        throw new Problem('invite_used', 'This invite has already been used. Remove the member instead.')
      await audit({ action: 'invite.revoked', target: { type: 'invite', id }, details: { role } })
      return {}
    }),
  )

  const find = async ({ spaceId, inviteId }: { spaceId: string; inviteId: string }) => {
    if (!isId(spaceId) || !(await findInvite(db, spaceId, inviteId))) throw notFound('invite')
  }

  serve('inspectInvite', anyone, async ({ params: { spaceId, inviteId } }) => {
    if (!isId(spaceId)) throw notFound('invite')
    const { role, spaceName, logo } = unlessRefused(await inspectInvite(db, spaceId, inviteId), problems)
    return { spaceId, spaceName, logo: logoUrl(publicOrigin(), logo), role }
  })

  serve(
    'activateInvite',
    anyUser,
    ({ params: { spaceId, inviteId }, commit }) =>
      commit(async (trx, { caller }, audit) => {
        const { userId } = caller
        const used = unlessRefused(await activateInvite(trx, spaceId, inviteId, userId, now()), problems)
        const { id, role, change } = used
        await audit({ action: 'invite.used', spaceId, target: { type: 'invite', id }, details: { role } })
        if (change) await tell(trx, used, change, { roomId: '', userId, role })
        return { spaceId, role }
      }),
    { find },
  )

  serve(
    'registerWithInvite',
    anyone,
    async ({ params: { spaceId, inviteId }, body, request, reply, commit }) => {
      await limits.request('account', request.ip, reply)
      await verifyCaptcha(config, body.captchaToken, request.ip)
      refuseAccount(await accountRefusal(db, body))
      const passwordHash = await passwords.hash(body.password)
      return commit(async (trx, _at, audit) => {
        const { id } = unlessRefused(await createUser(trx, body, passwordHash, now()), accountProblems)
        const used = unlessRefused(await activateInvite(trx, spaceId, inviteId, id, now()), problems)
        const { role } = used
        const by = { id, name: body.username.trim() }
        await audit({ action: 'user.created', by, target: { type: 'user', ...by } })
        const target = { type: 'invite', id: used.id } as const
        await audit({ action: 'invite.used', by, spaceId, target, details: { role } })
        await tell(trx, used, 'member_joined', { roomId: '', userId: id, role })
        return { id, spaceId, role }
      })
    },
    { find, kept: { person: ({ inviteId }) => hashToken(inviteId) } },
  )
}
