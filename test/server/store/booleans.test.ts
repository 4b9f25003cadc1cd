import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDb } from '../../../server/store/db.ts'
import { findRoomStanding } from '../../../server/store/standing.ts'
import type { Db } from '../../../server/store/tables.ts'
import { type Lectern, startLectern } from '../../support/lectern.ts'

/* A row has `true` and `false` whatever the database keeps; over both of them, by any kind of query. */

let lectern: Lectern
let db: Db
let spaceId: string
let roomId: string
beforeAll(async () => {
  lectern = await startLectern()
  db = await connectDb(lectern.config)
  spaceId = (await lectern.operator.createSpaces({ name: 'Space' })).id
  roomId = (await lectern.operator.createRooms({ spaceId, name: 'Room', isPublic: true, isChatAllowed: false })).id
})
afterAll(async () => {
  await db.destroy()
  await lectern.stop()
})

const expected = { isPublic: true, isChatAllowed: false, isScreensharingAllowed: true, isFloorAllowed: false }
const room = () => db.selectFrom('rooms').where('rooms.id', '=', roomId)

test('the database has 1 and 0', async () => {
  const stored = (column: string) => sql<string>`cast(${sql.ref(column)} as text)`.as(column)
  expect(
    await room()
      .select([stored('isPublic'), stored('isChatAllowed')])
      .executeTakeFirst(),
  ).toEqual({
    isPublic: '1',
    isChatAllowed: '0',
  })
})

test('a row has true and false', async () => {
  expect(await room().selectAll().executeTakeFirst()).toMatchObject(expected)
  expect(await db.transaction().execute(trx => trx.selectFrom('rooms').select('isPublic').execute())).toEqual([
    { isPublic: true },
  ])
})

test('so has a standing, which a prepared query finds', async () => {
  const session = await db.selectFrom('sessions').select('id').executeTakeFirstOrThrow()
  const standing = await findRoomStanding(db, session.id, spaceId, roomId, Date.now())
  expect(standing).toMatchObject({ room: expected, space: { isPublic: false }, caller: { isOperator: true } })
})

test('what an update gives back has them too, and a condition takes them', async () => {
  const changed = await db
    .updateTable('rooms')
    .set({ isFloorAllowed: true })
    .where('isPublic', '=', true)
    .where('isChatAllowed', '=', false)
    .returningAll()
    .execute()
  expect(changed).toMatchObject([{ ...expected, isFloorAllowed: true }])
  expect(await db.updateTable('rooms').set({ isFloorAllowed: false }).returning('isFloorAllowed').execute()).toEqual([
    { isFloorAllowed: false },
  ])
})

test('what an outer join does not find is null, and a count stays a number', async () => {
  expect(
    await room()
      .leftJoin('participants', 'participants.roomId', 'rooms.id')
      .select(of => ['participants.hasFloor', of.fn.countAll<number>().over().as('count')])
      .executeTakeFirst(),
  ).toEqual({ hasFloor: null, count: 1 })
})
