import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startBare } from '../../bench/processes.ts'
import { getFromBare, roomRequests } from '../../bench/rooms.ts'
import { createPostgresDatabase } from '../support/databases.ts'
import { temporaryFolder } from '../support/process.ts'

/* What the service is measured against does what it is measured by: answers by the service's own schemas. */

const { create } = roomRequests('01890a5d-ac96-774b-bcce-b302099a8057', { id: '', alias: '' })

test.each([
  ['SQLite', () => join(temporaryFolder(), 'bare.db'), []],
  ['SQLite, with a shared flush and indexes', () => join(temporaryFolder(), 'bare.db'), ['shared', 'indexed']],
  ['PostgreSQL', () => createPostgresDatabase({ isEmpty: true }), []],
  ['PostgreSQL, with indexes', () => createPostgresDatabase({ isEmpty: true }), ['indexed']],
] as const)('the bare handler on %s', async (_name, open, kinds) => {
  const bare = await startBare(await open(), ...kinds)
  try {
    const { path } = await getFromBare(bare, create)
    const found = await fetch(bare.url + path, { headers: { authorization: `Bearer ${bare.token}` } })
    expect(await found.json()).toMatchObject({ name: create.body.name, role: null, isLocked: false })
  } finally {
    await bare.stop()
  }
})
