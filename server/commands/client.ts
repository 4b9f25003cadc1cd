import { checkNewClient } from '../http/validation.ts'
import { createClient, deleteClient, listClients } from '../store/clients.ts'
import { isoTime } from '../times.ts'
import { print, printAll } from './output.ts'
import { change, fail, userByLogin, withStore } from './store.ts'

export const listClientsCommand = (login: string) =>
  withStore(async db => {
    const { id: userId } = await userByLogin(db, login)
    await printAll(
      cursor => listClients(db, userId, { limit: 200, cursor }),
      ({ id, name, createdAt }) => ({ clientId: id, name, createdAt: isoTime(createdAt) }),
      ({ id, name }) => `${id}  ${name}`,
    )
  })

export const addClientCommand = (login: string, name: string) =>
  withStore(async db => {
    const { id } = await userByLogin(db, login)
    checkNewClient({ name })
    const { clientId, clientSecret } = await change(db, async (trx, { audit, now }) => {
      const client = await createClient(trx, id, name, now)
      const target = { type: 'client', id: client.clientId, name: name.trim() } as const
      await audit({ action: 'client.created', target, details: { userId: id } })
      return client
    })
    print(
      { clientId, clientSecret },
      `client_id      ${clientId}`,
      `client_secret  ${clientSecret}`,
      'The secret won’t be shown again.',
    )
  })

export const removeClientCommand = (login: string, clientId: string) =>
  withStore(async db => {
    const { id } = await userByLogin(db, login)
    const client = await change(db, async (trx, { audit }) => {
      const deleted = await deleteClient(trx, id, clientId)
      if (deleted)
        await audit({ action: 'client.deleted', target: { type: 'client', ...deleted }, details: { userId: id } })
      return deleted
    })
    if (!client) fail(`API client not found for ${login}: ${clientId}.`)
    print({ clientId }, 'removed')
  })
