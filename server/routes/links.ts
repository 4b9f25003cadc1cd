import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound, Problem, unlessRefused } from '../http/problem.ts'
import { hashToken } from '../identity/keys.ts'
import { GUEST_TOKEN_SECONDS } from '../identity/tokens.ts'
import { isId } from '../ids.ts'
import { logoUrl } from '../images/logo.ts'
import { anyone, linkRefusal, mayGenerateAccess, mayRenameGuest } from '../rules.ts'
import {
  createLink,
  type FoundLink,
  findLinkOf,
  inspectLink,
  type LinkRefusal,
  listLinks,
  listLinkUses,
  makerFrom,
  redeemLink,
  renameGuest,
  revokeLink,
} from '../store/links.ts'
import { mapPage, type RowOf } from '../store/page.ts'
import { forgetCallName, personOf } from '../store/participants.ts'
import { findRecordNotice } from '../store/records.ts'
import { isStreamed } from '../store/streams.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'

const toLink = (link: RowOf<typeof listLinks>, now: number) => {
  const refusal = linkRefusal(link, makerFrom(link), now)
  return {
    id: link.id,
    label: link.label,
    role: link.role,
    username: link.username,
    externalUserId: link.externalUserId,
    isPermanent: link.isPermanent,
    createdBy: link.createdBy,
    createdByName: link.makerDisplayName ?? link.makerUsername,
    createdAt: isoTime(link.createdAt),
    updatedAt: isoTime(Math.max(link.createdAt, link.usedAt ?? 0, link.revokedAt ?? 0)),
    expiresAt: isoTime(link.expiresAt),
    usedAt: isoTimeOrNull(link.usedAt),
    revokedAt: isoTimeOrNull(link.revokedAt),
    isActive: refusal !== 'link_revoked',
    isUsable: refusal === null,
    isCopyable: refusal === null && link.sealed !== null,
  }
}

const toTarget = (link: FoundLink, publicOrigin: string) => ({
  spaceId: link.spaceId,
  roomId: link.roomId,
  alias: link.alias,
  roomName: link.roomName,
  spaceName: link.spaceName,
  logo: logoUrl(publicOrigin, link.logo),
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

/** What stands for a link in the audit log. */
const nameOf = ({ username, label }: { username?: string | null; label?: string | null }) =>
  username?.trim() ?? label?.trim() ?? null

export const linkRoutes = (serve: Serve, { db, keys, mint, now, publicOrigin, tell }: Context) => {
  const urlOf = (alias: string, username: string | null, token: string) => {
    const name = username === null ? '' : `participantName=${encodeURIComponent(username)}&`
    return `${publicOrigin()}/room/${alias}?${name}accessToken=${token}`
  }

  const requireLink = async (roomId: string, id: string) => {
    const link = isId(id) ? await findLinkOf(db, roomId, id) : undefined
    if (!link) throw notFound('link')
    return link
  }

  serve(
    'generateAccess',
    mayGenerateAccess,
    ({ body, commit }) =>
      commit(async (trx, at, audit) => {
        // Only users reach this: a guest token is refused before the rule.
        const { userId } = at.caller as { userId: string }
        const { id, token } = await createLink(trx, keys, at.room.id, userId, body, now())
        const { role, isPermanent = false } = body
        await audit({
          action: 'link.created',
          target: { type: 'link', id, name: nameOf(body) },
          details: { role, isPermanent, roomId: at.room.id, roomName: at.room.name },
        })
        return { url: urlOf(at.room.alias, body.username?.trim() ?? null, token) }
      }),
    { onlyAdds: () => true },
  )

  serve('listLinks', mayGenerateAccess, async ({ at, query }) =>
    mapPage(await listLinks(db, at.room.id, query, now()), link => toLink(link, now())),
  )

  serve('getLinkUrl', mayGenerateAccess, async ({ at, params }) => {
    const link = await requireLink(at.room.id, params.linkId)
    const refusal = linkRefusal(link, makerFrom(link), now())
    if (refusal) throw problems[refusal]()
    if (link.sealed === null)
      throw new Problem('link_not_kept', 'This link is from before links were kept. Create a new one.')
    return { url: urlOf(at.room.alias, link.username, keys.unseal(link.sealed, link.id)) }
  })

  serve('listLinkGuests', mayGenerateAccess, async ({ at, params, query }) => {
    const link = await requireLink(at.room.id, params.linkId)
    return mapPage(await listLinkUses(db, link.id, query), use => ({ ...use, usedAt: isoTime(use.usedAt) }))
  })

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
            target: { type: 'link', id, name: nameOf(link) },
            details: { roomId: at.room.id, roomName: at.room.name },
          })
        return {}
      }),
    { changes: 'room' },
  )

  serve('renameGuest', mayRenameGuest, ({ body, commit }) =>
    commit(async (trx, at) => {
      // The rule lets no one else through.
      const { guestId } = at.caller as { guestId: string }
      const participantName = body.participantName.trim()
      await renameGuest(trx, guestId, participantName)
      // What they called themselves in the call would count before it.
      await forgetCallName(trx, at.room.id, personOf(at.caller))
      return { participantName }
    }),
  )

  serve('inspectAccess', anyone, async ({ body }) => {
    const link = unlessRefused(await inspectLink(db, body.accessToken, now()), problems)
    return {
      ...toTarget(link, publicOrigin()),
      recording: await findRecordNotice(db, { ...link, id: link.roomId }),
      isStreamed: await isStreamed(db, link.roomId),
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
        const { id: linkId, roomId, spaceId, externalUserId, wantedEvents } = link
        const at = { space: { id: spaceId }, wantedEvents }
        await tell(trx, at, 'link_redeemed', { roomId, linkId, name: guest.name, externalUserId })
        return {
          guestToken: mint.guest(guest.id),
          expiresAt: isoTime(guest.expiresAt),
          guestId: guest.id,
          participantName: guest.name,
          ...toTarget(link, publicOrigin()),
        }
      }),
    { kept: { person: (_params, { accessToken }) => hashToken(accessToken), seconds: 10 * 60 } },
  )
}
