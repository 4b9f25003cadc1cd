import type { Scope } from '../../../contract/scopes.ts'
import { api } from '../../ui/api.ts'
import { usePages } from '../../ui/pages.ts'
import { renew } from './query.ts'

export const useTokens = () => usePages(['tokens'], query => api.listPersonalTokens(query))

interface NewToken {
  name: string
  expiresAt: string | null
  /** Without them, all. */
  scopes?: Scope[]
}

/** The answer has the token, which is not to be had again. */
export const createToken = async (token: NewToken) => {
  const created = await api.createPersonalToken(token)
  await renew('tokens')
  return created
}

export const deleteToken = async (tokenId: string) => {
  await api.deletePersonalToken({ tokenId })
  await renew('tokens')
}
