import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound } from '../http/problem.ts'
import { isId } from '../ids.ts'
import { mayModerate } from '../rules.ts'
import { liftBan, listBans } from '../store/bans.ts'
import { mapPage } from '../store/page.ts'
import type { Row } from '../store/tables.ts'
import { isoTime } from '../times.ts'

const toBan = ({ id, name, createdAt }: Row<'bans'>) => ({ id, name, createdAt: isoTime(createdAt) })

/** Lists and lifts bans. A ban is made by removeParticipant (calls.ts) and enforced by banRefusal (rules.ts). */
export const banRoutes = (serve: Serve, { db }: Context) => {
  serve('listBans', mayModerate, async ({ at, query }) => mapPage(await listBans(db, at.room.id, query), toBan))

  serve('liftBan', mayModerate, ({ params: { banId: id }, commit }) =>
    commit(async (trx, at, audit) => {
      const ban = isId(id) ? await liftBan(trx, at.room.id, id) : undefined
      if (!ban) throw notFound('ban')
      await audit({
        action: 'ban.lifted',
        target: { type: 'ban', id, name: ban.name },
        details: { roomId: at.room.id, roomName: at.room.name },
      })
      return {}
    }),
  )
}
