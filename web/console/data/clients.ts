import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { renew } from './query.ts'

export const useClients = () => usePages(['clients'], query => api.listClients(query))

/** The answer has the secret, which is not to be had again. */
export const createClient = async (name: string) => {
  const created = await api.createClient({ name })
  await renew('clients')
  return created
}

export const deleteClient = async (clientId: string) => {
  await api.deleteClient({ clientId })
  await renew('clients')
}
