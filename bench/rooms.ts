import type { Request } from './load.ts'
import type { Service } from './processes.ts'

/** What is asked of an installation, in a space with a room. */
export const roomRequests = (spaceId: string, { id, alias }: { id: string; alias: string }) => {
  const base = `/v1/spaces/${spaceId}/rooms`
  return {
    create: { method: 'POST', path: base, body: { name: 'Algebra, first lesson', type: 'lesson' } },
    get: { method: 'GET', path: `${base}/${id}` },
    getByAlias: { method: 'GET', path: `${base}/${alias}` },
    list: { method: 'GET', path: base },
  } satisfies Record<string, Request>
}

/** Has the bare handler make a room: how it is read. */
export const getFromBare = async (bare: Service, create: Request): Promise<Request> => {
  const made = await fetch(bare.url + create.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${bare.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(create.body),
  })
  const { id } = (await made.json()) as { id: string }
  return { method: 'GET', path: `${create.path}/${id}` }
}

/** How an installation of very many is compared with a small one, by the names of the requests. */
export const sizeContests = [
  ['createRooms', 'create'],
  ['GET room', 'get'],
  ['GET room by alias', 'getByAlias'],
  ['one page of the rooms', 'list'],
] as const
