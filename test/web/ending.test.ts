import { afterEach, expect, test, vi } from 'vitest'
import { createClient } from '../../client/client.ts'
import type { RoomAccess } from '../../web/room/access.ts'
import type { JoinedCall } from '../../web/room/entry.ts'

const origin = 'http://localhost:8080'

afterEach(() => vi.unstubAllGlobals())

/** What the page says was the end, for a service that answers so once the engine has disconnected the person. */
const endingAfter = async (answer: () => Promise<Response>) => {
  vi.stubGlobal('location', new URL(origin))
  // The room itself is still there.
  vi.stubGlobal('fetch', async () => Response.json({ entry: 'private' }))
  const { endingOf } = await import('../../web/room/live/ending.ts')
  const access = { alias: 'abc-defg-hjk', spaceId: '1', roomId: '2' } as RoomAccess
  const client = createClient({ baseUrl: origin, fetch: answer })
  return endingOf({ access, client } as JoinedCall, 'removed')
}

const refusal = (status: number, code: string) => async () => Response.json({ code }, { status })

test.each([
  ['a moderator has removed them', refusal(403, 'removed'), 'removed'],
  ['their link was revoked', refusal(401, 'token_invalid'), 'access_ended'],
  ['the call is over', refusal(404, 'no_call'), 'removed'],
  // It says nothing about the person's access: what the engine said is all that is known.
  ['the service is busy', refusal(503, 'unavailable'), 'removed'],
  ['there are too many requests', refusal(429, 'rate_limited'), 'removed'],
  ['the service is restarting behind its proxy', async () => new Response('Bad gateway', { status: 502 }), 'removed'],
  ['the network is down', () => Promise.reject(new TypeError('Failed to fetch')), 'removed'],
])('disconnected by the engine, and %s', async (_, answer, ending) => {
  expect(await endingAfter(answer)).toBe(ending)
})
