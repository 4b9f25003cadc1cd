import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem, unlessRefused } from '../http/problem.ts'
import { hashToken } from '../identity/keys.ts'
import { GUEST_TOKEN_SECONDS } from '../identity/tokens.ts'
import { isId } from '../ids.ts'
import { anyone, linkRefusal, mayGenerateAccess } from '../rules.ts'
import {
  createLink,
  type FoundLink,
  inspectLink,
  type LinkRefusal,
  listLinks,
  makerFrom,
  redeemLink,
  revokeLink,
} from '../store/links.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'

const toLink = (link: RowOf<typeof listLinks>, now: number) => {
  const refusal = linkRefusal(link, makerFrom(link), now)
  return {
    id: link.id,
    role: link.role,
    username: link.username,
    externalUserId: link.externalUserId,
    isPermanent: link.isPermanent,
    createdBy: link.createdBy,
    createdByName: link.makerDisplayName ?? link.makerUsername,
    createdAt: isoTime(link.createdAt),
    expiresAt: isoTime(link.expiresAt),
    usedAt: isoTimeOrNull(link.usedAt),
    revokedAt: isoTimeOrNull(link.revokedAt),
    isActive: refusal !== 'link_revoked',
    isUsable: refusal === null,
  }
}

const toTarget = (link: FoundLink) => ({
  spaceId: link.spaceId,
  roomId: link.roomId,
  alias: link.alias,
  roomName: link.roomName,
  spaceName: link.spaceName,
  logo: link.logo,
  type: link.type,
  role: link.role,
})

const problems: Record<LinkRefusal | 'name_required', () => Problem> = {
  not_found: () => notFound('link'),
  link_revoked: () => new Problem('link_revoked', 'This link has been revoked. Ask the organizer for a new one.'),
  link_used: () => new Problem('link_used', 'This link has already been used. Ask the organizer for a new one.'),
  link_expired: () => new Problem('link_expired', 'This link has expired. Ask the organizer for a new one.'),
  name_required: () => new Problem('name_required', 'participantName is required for this link.'),
}

export const linkRoutes = (serve: Serve, { db, mint, now, publicOrigin }: Context) => {
  serve('generateAccess', mayGenerateAccess, ({ body, commit }) =>
    commit(async (trx, at, audit) => {
      // Only users reach this: a guest token is refused before the rule.
      const { userId } = at.caller as { userId: string }
      const { id, token } = await createLink(trx, at.room.id, userId, body, now())
      const { role, isPermanent = false } = body
      await audit({
        action: 'link.created',
        target: { type: 'link', id, name: body.username?.trim() ?? null },
        details: { role, isPermanent, roomId: at.room.id, roomName: at.room.name },
      })
      const name = body.username === undefined ? '' : `participantName=${encodeURIComponent(body.username.trim())}&`
      return { url: `${publicOrigin()}/room/${at.room.alias}?${name}accessToken=${token}` }
    }),
  )

  serve('listLinks', mayGenerateAccess, async ({ at, query }) =>
    mapPage(await listLinks(db, at.room.id, query), link => toLink(link, now())),
  )

  serve(
    'revokeLink',
    mayGenerateAccess,
    ({ params, commit }) =>
      commit(async (trx, at, audit) => {
        const { linkId: id } = params
        const link = isId(id) ? await revokeLink(trx, at.room.id, id, now()) : undefined
        if (!link) throw notFound('link')
        if (link.isFirst)
          await audit({
            action: 'link.revoked',
            target: { type: 'link', id, name: link.username },
            details: { roomId: at.room.id, roomName: at.room.name },
          })
        return {}
      }),
    { changes: 'room' },
  )

  serve('inspectAccess', anyone, async ({ body }) => {
    const link = unlessRefused(await inspectLink(db, body.accessToken, now()), problems)
    return {
      ...toTarget(link),
      participantName: link.username,
      isPermanent: link.isPermanent,
      expiresAt: isoTime(link.expiresAt),
    }
  })

  serve(
    'redeemAccess',
    anyone,
    ({ body, commit }) =>
      commit(async trx => {
        const { link, guest } = unlessRefused(
          await redeemLink(trx, body.accessToken, body.participantName, GUEST_TOKEN_SECONDS, now()),
          problems,
        )
        return {
          guestToken: mint.guest(guest.id),
          expiresAt: isoTime(guest.expiresAt),
          guestId: guest.id,
          participantName: guest.name,
          ...toTarget(link),
        }
      }),
    { kept: { person: (_params, { accessToken }) => hashToken(accessToken), seconds: 10 * 60 } },
  )
}
