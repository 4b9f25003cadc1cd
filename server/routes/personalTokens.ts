import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { invalid, notFound } from '../http/problem.ts'
import { isId } from '../ids.ts'
import { anyUser } from '../rules.ts'
import { mapPage } from '../store/page.ts'
import {
  createPersonalToken,
  deletePersonalToken,
  listPersonalTokens,
  personalTokenFrom,
} from '../store/personalTokens.ts'
import type { Row } from '../store/tables.ts'
import { isoTime, isoTimeOrNull } from '../times.ts'

const toPersonalToken = (row: Row<'sessions'>) => {
  const token = personalTokenFrom(row)
  return {
    ...token,
    createdAt: isoTime(token.createdAt),
    lastUsedAt: isoTimeOrNull(token.lastUsedAt),
    expiresAt: isoTimeOrNull(token.expiresAt),
  }
}

export const personalTokenRoutes = (serve: Serve, { db, now }: Context) => {
  serve('createPersonalToken', anyUser, ({ body: { name, scopes, expiresAt: until = null }, commit }) => {
    const expiresAt = until === null ? null : Date.parse(until)
    if (expiresAt !== null && expiresAt <= now()) throw invalid('/expiresAt', 'in_the_past')
    return commit(async (trx, { caller: { userId } }, audit) => {
      const token = await createPersonalToken(trx, { userId, name, scopes, expiresAt }, now())
      const target = { type: 'token', id: token.id, name: name.trim() } as const
      const details = { scopes: scopes?.join(', ') ?? null, expiresAt: isoTimeOrNull(expiresAt) }
      await audit({ action: 'token.created', target, details })
      return token
    })
  })

  serve('listPersonalTokens', anyUser, async ({ at, query }) =>
    mapPage(await listPersonalTokens(db, at.caller.userId, query), toPersonalToken),
  )

  serve(
    'deletePersonalToken',
    anyUser,
    ({ params: { tokenId }, commit }) =>
      commit(async (trx, { caller }, audit) => {
        const token = isId(tokenId) ? await deletePersonalToken(trx, caller.userId, tokenId) : undefined
        if (!token) throw notFound('token')
        await audit({ action: 'token.deleted', target: { type: 'token', ...token } })
        return {}
      }),
    { changes: 'accounts' },
  )
}
