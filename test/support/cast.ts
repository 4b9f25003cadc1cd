import type { InviteRole } from '../../contract/invites.ts'
import { type Lectern, type Person, refusal } from './lectern.ts'

/** The people most tests need: three in a private space, one outside. */
export interface Cast {
  owner: Person
  moderator: Person
  member: Person
  stranger: Person
  spaceId: string
}

export const admit = async (
  owner: Person,
  spaceId: string,
  person: Person,
  role: InviteRole = 'role_space_user',
): Promise<void> => {
  const { id: inviteId } = await owner.createInvite({ spaceId, role })
  await person.activateInvite({ spaceId, inviteId })
}

export const createCast = async (lectern: Lectern): Promise<Cast> => {
  const [owner, moderator, member, stranger] = await Promise.all([
    lectern.user(),
    lectern.user(),
    lectern.user(),
    lectern.user(),
  ])
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  await admit(owner, spaceId, moderator, 'role_space_moderator')
  await admit(owner, spaceId, member)
  return { owner, moderator, member, stranger, spaceId }
}

/** A token that lives from now on, wherever the clock has been moved to. */
export const newToken = async (lectern: Lectern, { username, password }: Person): Promise<string> =>
  (await lectern.anonymous.createToken({ grant_type: 'password', username, password })).access_token

/** A client token of the person, and the client behind it. */
export const newClientToken = async (lectern: Lectern, person: Person) => {
  const client = await person.createClient({ name: 'Client' })
  const { access_token } = await lectern.anonymous.createToken({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
  })
  return { ...client, token: access_token }
}

/** Many refusals at once: who or what was refused, each with its status and code. */
export const refusals = async (attempts: Record<string, Promise<unknown>> | Promise<unknown>[]) =>
  Promise.all(Object.entries(attempts).map(async ([name, attempt]) => [name, ...(await refusal(attempt))] as const))

/** The accessToken of a guest link. */
export const tokenOf = ({ url }: { url: string }): string => new URL(url).searchParams.get('accessToken') ?? ''

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
