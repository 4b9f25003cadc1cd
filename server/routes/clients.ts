import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound } from '../http/problem.ts'
import { isId, isoTime } from '../ids.ts'
import { anyUser } from '../rules.ts'
import { createClient, deleteClient, listClients } from '../store/clients.ts'
import { mapPage } from '../store/page.ts'
import type { Row } from '../store/tables.ts'

const toClient = ({ id, name, createdAt }: Row<'clients'>) => ({ clientId: id, name, createdAt: isoTime(createdAt) })

export const clientRoutes = (serve: Serve, { db, now }: Context) => {
  serve('createClient', anyUser, ({ body, commit }) =>
    commit((trx, { caller }) => createClient(trx, caller.userId, body.name, now())),
  )

  serve('listClients', anyUser, async ({ at, query }) =>
    mapPage(await listClients(db, at.caller.userId, query), toClient),
  )

  serve('deleteClient', anyUser, ({ params, commit }) =>
    commit(async (trx, { caller }) => {
      if (!isId(params.clientId) || !(await deleteClient(trx, caller.userId, params.clientId)))
        throw notFound('API client')
      return {}
    }),
  )
}
