import { createClient, deleteClient, listClients } from '../store/clients.ts'
import { transact } from '../store/db.ts'
import { fail, printAll, userByLogin, withStore } from './store.ts'

export const listClientsCommand = (login: string) =>
  withStore(async db => {
    const { id: userId } = await userByLogin(db, login)
    await printAll(
      cursor => listClients(db, userId, { limit: 200, cursor }),
      ({ id, name }) => `${id}  ${name}`,
    )
  })

export const addClientCommand = (login: string, name: string) =>
  withStore(async db => {
    const { id } = await userByLogin(db, login)
    if (name.trim() === '') fail('The name must not be blank.')
    const { clientId, clientSecret } = await transact(db, trx => createClient(trx, id, name, Date.now()))
    console.log(`client_id      ${clientId}\nclient_secret  ${clientSecret}\nThe secret won’t be shown again.`)
  })

export const removeClientCommand = (login: string, clientId: string) =>
  withStore(async db => {
    const { id } = await userByLogin(db, login)
    if (!(await transact(db, trx => deleteClient(trx, id, clientId))))
      fail(`API client not found for ${login}: ${clientId}.`)
    console.log('removed')
  })
