import pg from 'pg'
import { readConfig } from '../server/config.ts'
import type { BareStore } from './bare.ts'
import { createSchema, insertInto } from './bareTables.ts'

// As the service reads them.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const insertRoom = { name: 'insertRoom', text: insertInto('rooms', number => `$${number}`) }
const insertAct = { name: 'insertAct', text: insertInto('audit', number => `$${number}`) }
const selectRoom = { name: 'selectRoom', text: 'SELECT * FROM rooms WHERE id = $1' }

/** With as many connections as the service has for requests. */
export const openBarePostgres = async (address: string, isIndexed: boolean): Promise<BareStore> => {
  const pool = new pg.Pool({ connectionString: address, max: readConfig({}).databasePool })
  for (const sql of createSchema(isIndexed)) await pool.query(sql)
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
