import type { Context, Serve } from '../http/gate.ts'
import { notFound } from '../http/problem.ts'
import { isId, isoTime } from '../ids.ts'
import { mayModerate } from '../rules.ts'
import { mapPage } from '../store/page.ts'
import { liftBar, listBars } from '../store/participants.ts'

/** Who has been removed from a room. Removing is a part of the call: see calls.ts. */
export const barRoutes = (serve: Serve, { db }: Context) => {
  serve('listBars', mayModerate, async ({ at, query }) =>
    mapPage(await listBars(db, at.room.id, query), ({ id, name, createdAt }) => ({
      id,
      name,
      createdAt: isoTime(createdAt),
    })),
  )

  serve('liftBar', mayModerate, ({ params: { barId: id }, commit }) =>
    commit(async (trx, at) => {
      if (!isId(id) || !(await liftBar(trx, at.room.id, id))) throw notFound('bar')
      return {}
    }),
  )
}
