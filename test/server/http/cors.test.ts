import { beforeAll, expect, test } from 'vitest'
import { type Lectern, startLectern } from '../../support/lectern.ts'

/* Pages of other sites, as their browsers ask. */

const origin = 'https://school.example'
let lectern: Lectern

beforeAll(async () => {
  lectern = await startLectern({ LECTERN_CORS_ORIGINS: origin })
})

const ask = (method: string, headers: Record<string, string>, path = '/v1/spaces') =>
  lectern.request(method, path, { headers })

test('those that are allowed may send what the client sends, and read what it reads', async () => {
  const asked = 'authorization,content-type,idempotency-key,prefer'
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const preflight = { origin, 'access-control-request-method': method, 'access-control-request-headers': asked }
    const { status, headers } = await ask('OPTIONS', preflight)
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin])
    expect(headers.get('access-control-allow-methods')).toContain(method)
    expect(headers.get('access-control-allow-headers')).toBe(asked)
  }
  const { status, headers } = await ask('GET', { origin })
  expect([status, headers.get('access-control-allow-origin')]).toEqual([401, origin])
  expect(headers.get('access-control-expose-headers')).toContain('retry-after')
  // Cookies stay with the pages of Lectern.
  expect(headers.get('access-control-allow-credentials')).toBeNull()
})

test('others may not', async () => {
  const { headers } = await ask('GET', { origin: 'https://other.example' })
  expect(headers.get('access-control-allow-origin')).toBeNull()
})

test('OPTIONS that is no preflight is a method like any other', async () => {
  for (const headers of [{}, { origin }] as Record<string, string>[]) {
    const { status, headers: answered, body } = await ask('OPTIONS', headers)
    expect([status, body.code, answered.get('allow')]).toEqual([405, 'method_not_allowed', 'GET, HEAD, POST'])
    expect((await ask('OPTIONS', headers, '/nothing')).body.code).toBe('not_found')
  }
})
