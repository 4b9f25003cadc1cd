import type { Context } from '../http/context.ts'
import type { Serve } from '../http/gate.ts'
import { notFound } from '../http/problem.ts'
import { isId } from '../ids.ts'
import { anyUser } from '../rules.ts'
import { createClient, deleteClient, listClients } from '../store/clients.ts'
import { mapPage } from '../store/page.ts'
import type { Row } from '../store/tables.ts'
import { isoTime } from '../times.ts'

const toClient = ({ id, name, createdAt }: Row<'clients'>) => ({ clientId: id, name, createdAt: isoTime(createdAt) })

export const clientRoutes = (serve: Serve, { db, now }: Context) => {
  serve('createClient', anyUser, ({ body, commit }) =>
    commit(async (trx, { caller }, audit) => {
      const client = await createClient(trx, caller.userId, body.name, now())
      const { clientId: id } = client
      await audit({ action: 'client.created', target: { type: 'client', id, name: body.name.trim() } })
      return client
    }),
  )

  serve('listClients', anyUser, async ({ at, query }) =>
    mapPage(await listClients(db, at.caller.userId, query), toClient),
  )

  serve('deleteClient', anyUser, ({ params, commit }) =>
    commit(async (trx, { caller }, audit) => {
      const client = isId(params.clientId) ? await deleteClient(trx, caller.userId, params.clientId) : undefined
      if (!client) throw notFound('API client')
      await audit({ action: 'client.deleted', target: { type: 'client', ...client } })
      return {}
    }),
  )
}
