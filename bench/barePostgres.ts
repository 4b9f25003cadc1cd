import pg from 'pg'
import { readConfig } from '../server/config.ts'
import type { BareStore } from './bare.ts'

// As the service reads them.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const marks = (length: number) => Array.from({ length }, (_, index) => `$${index + 1}`).join(', ')
const insertRoom = { name: 'insertRoom', text: `INSERT INTO rooms VALUES (${marks(12)})` }
const insertAct = { name: 'insertAct', text: `INSERT INTO audit VALUES (${marks(13)})` }
const selectRoom = { name: 'selectRoom', text: 'SELECT * FROM rooms WHERE id = $1' }

/** With as many connections as the service has for requests. */
export const openBarePostgres = async (address: string): Promise<BareStore> => {
  const pool = new pg.Pool({ connectionString: address, max: readConfig({}).databasePool })
  await pool.query(
    'CREATE TABLE rooms (id TEXT PRIMARY KEY, "spaceId" TEXT, alias TEXT, "channelId" TEXT, name TEXT, type TEXT, "isPublic" INTEGER, "isChatAllowed" INTEGER, "isScreensharingAllowed" INTEGER, "isFloorAllowed" INTEGER, "creatorId" TEXT, "createdAt" BIGINT)',
  )
  await pool.query(
    'CREATE TABLE audit (id TEXT PRIMARY KEY, at BIGINT, action TEXT, "actorKind" TEXT, "actorId" TEXT, "actorName" TEXT, address TEXT, "tokenId" TEXT, "spaceId" TEXT, "targetType" TEXT, "targetId" TEXT, "targetName" TEXT, details TEXT)',
  )
  return {
    async create(room, act) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        await client.query({ ...insertRoom, values: room })
        await client.query({ ...insertAct, values: act })
        await client.query('COMMIT')
      } finally {
        client.release()
      }
    },
    find: async id => (await pool.query({ ...selectRoom, values: [id] })).rows[0],
  }
}
