import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { commandActor, recordAct } from '../../../server/store/audit.ts'
import { connectDb, transact } from '../../../server/store/db.ts'
import { findUserStanding } from '../../../server/store/standing.ts'
import type { Trx } from '../../../server/store/tables.ts'
import { admit, tokenOf } from '../../support/cast.ts'
import { createPostgresDatabase } from '../../support/databases.ts'
import { refusal, startLectern } from '../../support/lectern.ts'

/** `options`: of each connection of the service. */
const setUp = async (options = '') => {
  const url = await createPostgresDatabase()
  const lectern = await startLectern({ DATABASE_URL: `${url}?options=${encodeURIComponent(options)}` })
  const owner = await lectern.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const database = new pg.Client(url)
  await database.connect()
  onTestFinished(() => database.end())
  const query = async (text: string, values: unknown[] = []) => (await database.query(text, values)).rows
  return { lectern, owner, spaceId, query, database }
}

/** Nothing ends because it waits. `whileHeld`: those that need the rows wait for them, and no others. */
const setUpHeld = async () => {
  const made = await setUp('-c lock_timeout=0 -c statement_timeout=0')
  const whileHeld = async (
    rows: string,
    values: unknown[],
    start: () => { held: Promise<unknown>[]; others: Promise<unknown>[] },
  ) => {
    await made.database.query('begin')
    await made.database.query(`${rows} for update`, values)
    let isReleased = false
    const { held, others } = start()
    const afterwards = held.map(one => one.then(() => isReleased))
    await Promise.all(others)
    isReleased = true
    await made.database.query('commit')
    expect(new Set(await Promise.all(afterwards))).toEqual(new Set([true]))
  }
  return { ...made, whileHeld }
}

const named = (count: number, name = 'Room') => Array.from({ length: count }, (_, n) => `${name} ${n}`)

const createAll = (client: Client, spaceId: string, names: string[]) =>
  Promise.all(names.map(name => client.createRooms({ spaceId, name })))

/** Each room with the entry of its creation, if it is of the same transaction. */
const CREATED = `select rooms.name, rooms.xmin::text as by, audit.id is not null as "isRecorded" from rooms
  left join audit on audit."targetId" = rooms.id and audit.action = 'room.created' and audit.xmin = rooms.xmin`

describe('rooms that are created at one moment', () => {
  test('share transactions, and each is there with its entry in the audit log', async () => {
    const { owner, spaceId, query } = await setUp()
    const names = named(100)
    const made = await createAll(owner, spaceId, names)
    expect(new Set(made.map(({ id }) => id)).size).toBe(100)
    const rows = await query(CREATED)
    expect(rows.map(({ name }) => name).sort()).toEqual(names.toSorted())
    expect(rows.filter(({ isRecorded }) => !isRecorded)).toEqual([])
    expect(new Set(rows.map(({ by }) => by)).size).toBeLessThan(100)
  })

  test('are told of their events, each once', async () => {
    const { owner, spaceId, query } = await setUp()
    await owner.createWebhook({ spaceId, url: 'https://receiver.example/hook' })
    await owner.setWebhookEvents({ spaceId, events: ['room_created'] })
    const made = await createAll(owner, spaceId, named(20))
    const told = await query(`select body::json ->> 'roomId' as id from deliveries where "eventName" = 'room_created'`)
    expect(told.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort())
  })

  test('one of which fails: the others are created once', async () => {
    const { owner, spaceId, query } = await setUp()
    await query(`ALTER TABLE rooms ADD CONSTRAINT not_this CHECK (name <> 'Room 7')`)
    const results = await Promise.allSettled(named(20).map(name => owner.createRooms({ spaceId, name })))
    const failed = results.flatMap((result, n) => (result.status === 'rejected' ? [[n, result.reason.status]] : []))
    expect(failed).toEqual([[7, 500]])
    const rows = await query(CREATED)
    expect(rows.map(({ name }) => name).sort()).toEqual(
      named(20)
        .filter(name => name !== 'Room 7')
        .sort(),
    )
    expect(rows.filter(({ isRecorded }) => !isRecorded)).toEqual([])
  })

  test('with one external ID twice: one gets it, the other is refused, and all others are created once', async () => {
    const { owner, spaceId, query } = await setUp()
    const twin = (name: string) => owner.createRooms({ spaceId, name, externalId: 'course-7' })
    const results = await Promise.allSettled([
      ...named(10).map(name => owner.createRooms({ spaceId, name })),
      twin('Twin 1'),
      twin('Twin 2'),
      ...named(10, 'More').map(name => owner.createRooms({ spaceId, name })),
    ])
    const refused = results.filter(result => result.status === 'rejected')
    expect(refused.map(({ reason }) => [reason.status, reason.code])).toEqual([[409, 'external_id_taken']])
    const rows = await query(CREATED)
    expect(rows.length).toBe(21)
    expect(new Set(rows.map(({ name }) => name)).size).toBe(21)
    expect(rows.filter(({ isRecorded }) => !isRecorded)).toEqual([])
    const entries = await query(`select count(*)::int as count from audit where action = 'room.created'`)
    expect(entries).toEqual([{ count: 21 }])
  })

  test('by one who may not: they are refused, and those beside them are created', async () => {
    const { lectern, owner, spaceId, query } = await setUp()
    const member = await lectern.user()
    await admit(owner, spaceId, member)
    const [made, refused] = await Promise.all([
      createAll(owner, spaceId, named(10)),
      Promise.all(named(10).map(name => refusal(member.createRooms({ spaceId, name })))),
    ])
    expect(made.length).toBe(10)
    expect(new Set(refused.map(String))).toEqual(new Set(['403,not_allowed']))
    expect((await query(CREATED)).length).toBe(10)
  })

  test('wait for a space that is held, and for no other', async () => {
    const { owner, spaceId, query, whileHeld } = await setUpHeld()
    const { id: heldId } = await owner.createSpaces({ name: 'Held' })
    await whileHeld('select id from spaces where id = $1', [heldId], () => ({
      held: named(8).map(name => owner.createRooms({ spaceId: heldId, name })),
      others: named(8).map(name => owner.createRooms({ spaceId, name })),
    }))
    expect((await query(CREATED)).length).toBe(16)
  })

  test('by many people wait for a session that is held, and for no other', async () => {
    const { lectern, owner, spaceId, query, whileHeld } = await setUpHeld()
    const people = await Promise.all(Array.from({ length: 12 }, () => lectern.user()))
    for (const person of people) await admit(owner, spaceId, person, 'role_space_moderator')
    const isHeld = (n: number) => n % 3 === 2
    const heldIds = people.filter((_, n) => isHeld(n)).map(({ id }) => id)
    await whileHeld('select id from sessions where "userId" = any($1)', [heldIds], () => {
      const made = people.map(({ createRooms }) => createRooms({ spaceId, name: 'Room' }))
      return { held: made.filter((_, n) => isHeld(n)), others: made.filter((_, n) => !isHeld(n)) }
    })
    expect((await query(CREATED)).length).toBe(12)
  })
})

test('guest links that are created at one moment share transactions, and each can be used', async () => {
  const { lectern, owner, spaceId, query } = await setUp()
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
  const made = await Promise.all(
    named(60, 'Guest').map(username => owner.generateAccess({ spaceId, roomId, role: 'user', username })),
  )
  const [found] = await query(`select count(*)::int as count, count(distinct links.xmin::text)::int as transactions,
    count(audit.id)::int as recorded from links left join audit
    on audit."targetId" = links.id and audit.action = 'link.created' and audit.xmin = links.xmin`)
  expect(found).toEqual({ count: 60, transactions: expect.any(Number), recorded: 60 })
  expect(found.transactions).toBeLessThan(60)
  const uses = await Promise.all(made.map(link => lectern.anonymous.redeemAccess({ accessToken: tokenOf(link) })))
  expect(new Set(uses.map(({ guestId }) => guestId)).size).toBe(60)
})

test('of a transaction that is taken back nothing is left for whoever has its connection next', async () => {
  const { lectern, query } = await setUp()
  const db = await connectDb(lectern.config)
  onTestFinished(() => db.destroy())
  for (let n = 0; n < 20; n++) {
    const work = async (trx: Trx) => {
      await trx.selectFrom('spaces').select('id').execute()
      await recordAct(trx, commandActor(), { action: 'room.created', target: { type: 'room', id: 'taken back' } }, 1)
      throw new Error('on purpose')
    }
    await expect(transact(db, work, { onlyAdds: true })).rejects.toThrow('on purpose')
  }
  for (let n = 0; n < 20; n++) await findUserStanding(db, 'nobody', 1)
  expect(await query(`select id from audit where "targetId" = 'taken back'`)).toEqual([])
})

describe('what does not only add rows', () => {
  test('is no member, and says so', async () => {
    const { lectern, spaceId } = await setUp()
    const db = await connectDb(lectern.config)
    onTestFinished(() => db.destroy())
    const change = (trx: Trx) => trx.updateTable('spaces').set({ name: 'Other' }).where('id', '=', spaceId).execute()
    const inGroup = (work: (trx: Trx) => Promise<unknown>) => transact(db, work, { onlyAdds: true })
    await expect(inGroup(change)).rejects.toThrow('only adds rows')
    // Also where nobody looks at the failure.
    await expect(inGroup(trx => change(trx).catch(() => {}))).rejects.toThrow('only adds rows')
    await expect(
      inGroup(trx => trx.selectFrom('spaces').select('id').where('id', '=', spaceId).forUpdate().execute()),
    ).rejects.toThrow('waits for none')
    await expect(
      inGroup(trx => recordAct(trx, commandActor(), { action: 'room.created', target: { type: 'room', id: '1' } }, 1)),
    ).rejects.toThrow('transaction reads')
    const [space] = (await inGroup(trx => trx.selectFrom('spaces').select('name').execute())) as { name: string }[]
    expect(space).toEqual({ name: 'Space' })
  })
})

test('nothing is created after the right to create has ended', async () => {
  const { lectern, owner, spaceId, query } = await setUp()
  for (let round = 0; round < 10; round++) {
    const member = await lectern.user()
    await admit(owner, spaceId, member, 'role_space_moderator')
    let isOver = false
    const creating = Array.from({ length: 8 }, async () => {
      while (!isOver) await member.createRooms({ spaceId, name: `of ${member.id}` }).catch(() => {})
    })
    await owner.createRooms({ spaceId, name: 'Room' })
    await owner.removeMember({ spaceId, userId: member.id })
    isOver = true
    await Promise.all(creating)
    const [found] = await query(
      `select count(*)::int as made,
        count(*) filter (where pg_xact_commit_timestamp(made.xmin) >= pg_xact_commit_timestamp(removed.xmin))::int as late
        from audit as made, audit as removed where made.action = 'room.created' and made."actorId" = $1
          and removed.action = 'member.removed' and removed."targetId" = $1`,
      [member.id],
    )
    expect(found).toEqual({ made: expect.any(Number), late: 0 })
    expect(found.made).toBeGreaterThan(0)
  }
})
