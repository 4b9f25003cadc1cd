import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { Kysely, sql, type Transaction } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { databaseFile, transact } from '../../../server/store/db.ts'
import { isToRepeat } from '../../../server/store/failures.ts'
import { sqliteDialect } from '../../../server/store/sqlite.ts'
import type { Db } from '../../../server/store/tables.ts'
import { startLectern } from '../../support/lectern.ts'
import { temporaryFolder } from '../../support/process.ts'

interface Tables {
  things: { id: number; name: string }
  /** Its reference is checked only at the commit. */
  late: { thingId: number }
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

const transactIn = <T>(db: Kysely<Tables>, work: (trx: Transaction<Tables>) => Promise<T>) =>
  transact(db as unknown as Db, trx => work(trx as unknown as Transaction<Tables>))

/** A database with a table or two, and a connection of another party to it. */
const open = async ({ busyTimeoutMs = 5000 } = {}) => {
  const file = join(temporaryFolder(), 'test.db')
  const db = new Kysely<Tables>({ dialect: sqliteDialect(file, busyTimeoutMs) })
  await sql`create table things (id integer primary key, name text not null unique)`.execute(db)
  await sql`create table late (thingId integer references things (id) deferrable initially deferred)`.execute(db)
  const outside = new Database(file)
  onTestFinished(async () => {
    outside.close()
    await db.destroy()
  })
  const seen = () => outside.prepare('select id from things order by id').pluck().all() as number[]
  const insert = (id: number, name = `thing ${id}`) =>
    transactIn(db, async trx => {
      await trx.insertInto('things').values({ id, name }).execute()
      return id
    })
  return { db, outside, seen, insert }
}

/** How often a commit goes to disk from now on. */
const countCommits = () => {
  const count = { commits: 0 }
  const prepare = Database.prototype.prepare
  const spy = vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Database.Database, text) {
    const statement = prepare.call(this, text)
    if (text !== 'COMMIT') return statement
    const run = statement.run.bind(statement)
    return Object.assign(statement, {
      run: (parameters: object) => {
        count.commits++
        return run(parameters)
      },
    })
  } as typeof prepare)
  onTestFinished(() => spy.mockRestore())
  return count
}

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )

describe('write transactions', () => {
  test('that wait together share a commit', async () => {
    const count = countCommits()
    const { insert, seen } = await open()
    const before = count.commits
    await Promise.all(times(100, id => insert(id)))
    expect(seen()).toEqual(times(100, id => id))
    // One for those that came first, one for all that came meanwhile; some room for how the crowd arrives.
    expect(count.commits - before).toBeLessThanOrEqual(4)
  })

  test('take turns: none sees another half done', async () => {
    const { db } = await open()
    const results = await Promise.all(
      times(50, () =>
        transactIn(db, async trx => {
          const { last } = await trx
            .selectFrom('things')
            .select(select => select.fn.coalesce(select.fn.max('id'), sql<number>`0`).as('last'))
            .executeTakeFirstOrThrow()
          await new Promise(setImmediate)
          await trx
            .insertInto('things')
            .values({ id: last + 1, name: `thing ${last + 1}` })
            .execute()
          return last + 1
        }),
      ),
    )
    expect(results.toSorted((a, b) => a - b)).toEqual(times(50, index => index + 1))
  })

  test('one that throws is rolled back alone', async () => {
    const { db, insert, seen } = await open()
    const throwing = transactIn(db, async trx => {
      await trx.insertInto('things').values({ id: 100, name: 'gone' }).execute()
      throw new Error('changed my mind')
    })
    const outcomes = await Promise.all([...times(5, id => code(insert(id))), code(throwing), code(insert(5))])
    expect(outcomes).toEqual(['done', 'done', 'done', 'done', 'done', 'changed my mind', 'done'])
    expect(seen()).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('one whose statement fails leaves the others as they are', async () => {
    const { db, insert, seen } = await open()
    const failing = () =>
      transactIn(db, async trx => {
        await trx.insertInto('things').values({ id: 100, name: 'gone' }).execute()
        await trx.insertInto('things').values({ id: 101, name: 'gone' }).execute()
      })
    const outcomes = await Promise.all([code(insert(0)), code(failing()), code(insert(1))])
    expect(outcomes).toEqual(['done', 'SQLITE_CONSTRAINT_UNIQUE', 'done'])
    expect(seen()).toEqual([0, 1])
  })

  test('those that share a commit with ones that are rolled back happen once, and few of them again', async () => {
    const { db, insert, seen } = await open()
    const runs = { good: 0, bad: 0 }
    const good = (id: number) =>
      transactIn(db, async trx => {
        runs.good++
        await trx
          .insertInto('things')
          .values({ id, name: `thing ${id}` })
          .execute()
      })
    const bad = (id: number) =>
      transactIn(db, async trx => {
        runs.bad++
        await trx
          .insertInto('things')
          .values({ id: 1000 + id, name: `bad ${id}` })
          .returning('id')
          .execute()
        throw new Error('changed my mind')
      })
    const alone = (id: number) =>
      db
        .insertInto('things')
        .values({ id: 500 + id, name: `alone ${id}` })
        .execute()
    const outcomes = await Promise.all(times(40, id => [code(good(id)), code(bad(id)), code(alone(id))]).flat())
    expect(outcomes).toEqual(times(40, () => ['done', 'changed my mind', 'done']).flat())
    expect(seen()).toEqual([...times(40, id => id), ...times(40, id => 500 + id)])
    // The first of them takes its group with it. Those that come after it are rolled back alone.
    expect(runs.good + runs.bad).toBeLessThan(160)
    expect(await code(insert(2000))).toBe('done')
  })

  test('one that is rolled back while it is alone runs once', async () => {
    const { db, insert, seen } = await open()
    let runs = 0
    const outcome = code(
      transactIn(db, async trx => {
        runs++
        await trx.insertInto('things').values({ id: 100, name: 'gone' }).execute()
        throw new Error('changed my mind')
      }),
    )
    expect([await outcome, runs, seen()]).toEqual(['changed my mind', 1, []])
    await insert(1)
    expect(seen()).toEqual([1])
  })

  test('one that is rolled back after it has changed the schema leaves nothing of it', async () => {
    const { db, insert, seen } = await open()
    const changing = (name: string) =>
      code(
        transactIn(db, async trx => {
          await trx.schema.createTable(name).addColumn('id', 'integer').execute()
          throw new Error('changed my mind')
        }),
      )
    const tables = () => db.introspection.getTables().then(found => found.map(({ name }) => name).sort())
    expect(await changing('alone')).toBe('changed my mind')
    expect(await Promise.all([code(insert(1)), changing('among'), code(insert(2))])).toEqual([
      'done',
      'changed my mind',
      'done',
    ])
    // Now each is a savepoint.
    expect(await changing('savepoint')).toBe('changed my mind')
    expect([await tables(), seen()]).toEqual([
      ['late', 'things'],
      [1, 2],
    ])
  })

  test('one that is rolled back before it has changed anything takes nobody with it', async () => {
    const { db, seen } = await open()
    let runs = 0
    const refused = transactIn(db, async trx => {
      await trx.updateTable('things').set({ name: 'none' }).where('id', '=', 404).execute()
      throw new Error('refused')
    })
    const others = times(5, id =>
      transactIn(db, async trx => {
        runs++
        await trx
          .insertInto('things')
          .values({ id, name: `thing ${id}` })
          .execute()
      }),
    )
    expect(await Promise.all([code(refused), ...others.map(code)])).toEqual(['refused', ...times(5, () => 'done')])
    expect([runs, seen()]).toEqual([5, times(5, id => id)])
  })

  test('one that lives with the failure of a statement keeps the rest', async () => {
    const { db, insert, seen } = await open()
    const coping = transactIn(db, async trx => {
      await trx.insertInto('things').values({ id: 10, name: 'kept' }).execute()
      await code(trx.insertInto('things').values({ id: 10, name: 'twice' }).execute())
      await trx.insertInto('things').values({ id: 11, name: 'kept too' }).execute()
    })
    await Promise.all([insert(0), coping, insert(1)])
    expect(seen()).toEqual([0, 1, 10, 11])
  })

  test('nobody is told before the commit: by then everyone else can see it', async () => {
    const { db, insert, seen } = await open()
    await Promise.all(
      times(50, async id => {
        await insert(id)
        expect(seen()).toContain(id)
      }),
    )
    await db.insertInto('things').values({ id: 100, name: 'by itself' }).execute()
    expect(seen()).toContain(100)
  })

  test('nobody reads what is not committed', async () => {
    const { db, seen } = await open()
    await transactIn(db, async trx => {
      await trx.insertInto('things').values({ id: 1, name: 'not yet' }).execute()
      expect(await trx.selectFrom('things').select('id').execute()).toHaveLength(1)
      expect(await db.selectFrom('things').select('id').execute()).toEqual([])
      expect(seen()).toEqual([])
    })
    expect(await db.selectFrom('things').select('id').execute()).toHaveLength(1)
  })

  test('single statements are transactions too, and fail alone', async () => {
    const { db, insert, seen } = await open()
    const outcomes = await Promise.all([
      code(insert(1)),
      code(db.insertInto('things').values({ id: 1, name: 'twice' }).execute()),
      code(db.insertInto('things').values({ id: 2, name: 'two' }).execute()),
      code(db.updateTable('things').set({ name: 'two' }).where('id', '=', 1).execute()),
    ])
    expect(outcomes).toEqual(['done', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'done', 'SQLITE_CONSTRAINT_UNIQUE'])
    expect(seen()).toEqual([1, 2])
  })
})

describe('a commit that fails', () => {
  test('is told to everyone in it, nothing of it stays, and the next is as good as ever', async () => {
    const { db, insert, seen } = await open()
    await insert(0)
    const broken = transactIn(db, trx => trx.insertInto('late').values({ thingId: 404 }).execute())
    const outcomes = await Promise.all([code(insert(1)), code(broken), code(insert(2))])
    expect(outcomes).toEqual(times(3, () => 'SQLITE_CONSTRAINT_FOREIGNKEY'))
    expect(seen()).toEqual([0])
    await Promise.all([insert(1), insert(2)])
    expect(seen()).toEqual([0, 1, 2])
  })

  test('a disk that is full is told, and passes', async () => {
    const { db, insert, seen } = await open()
    const allow = (pages: number) => transactIn(db, trx => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(trx))
    await allow(8)
    const big = 'x'.repeat(20_000)
    const outcomes = await Promise.all(times(5, id => code(insert(id, `${id}${big}`))))
    expect(outcomes).toContain('SQLITE_FULL')
    const kept = outcomes.flatMap((outcome, id) => (outcome === 'done' ? [id] : []))
    expect(seen()).toEqual(kept)
    await allow(100_000)
    await insert(100, big)
    expect(seen()).toEqual([...kept, 100])
  })
})

describe('a database that another process has locked', () => {
  test('is waited for, while everything else goes on', async () => {
    const { db, outside, insert, seen } = await open()
    await insert(0)
    outside.exec('begin immediate')
    const writing = Promise.all(times(5, id => insert(id + 1)))
    // Were the wait a blocking one, this timer and these reads would come too late.
    const before = performance.now()
    await wait(50)
    expect(await db.selectFrom('things').select('id').execute()).toHaveLength(1)
    expect(performance.now() - before).toBeLessThan(1000)
    outside.exec('commit')
    expect(await writing).toEqual([1, 2, 3, 4, 5])
    expect(seen()).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('for too long: all who wait are told, and the next find it free again', async () => {
    const { outside, insert, seen } = await open({ busyTimeoutMs: 100 })
    outside.exec('begin immediate')
    expect(await Promise.all(times(5, id => code(insert(id))))).toEqual(times(5, () => 'SQLITE_BUSY'))
    expect(await code(insert(5))).toBe('SQLITE_BUSY')
    outside.exec('commit')
    await insert(6)
    expect(seen()).toEqual([6])
  })

  test('over HTTP: reads are answered, writes wait, then get 503; and it recovers by itself', async () => {
    const lectern = await startLectern()
    const { operator } = lectern
    const { id: spaceId } = await operator.createSpaces({ name: 'Space' })
    const outside = new Database(databaseFile(lectern.config))
    onTestFinished(() => void outside.close())
    outside.exec('begin immediate')
    const write = () => lectern.request('POST', '/v1/spaces', { token: operator.token, body: { name: 'Late' } })
    const writing = Promise.all(times(3, write))
    expect((await operator.getSpace({ spaceId })).name).toBe('Space')
    expect((await lectern.request('GET', '/healthz')).status).toBe(200)
    for (const answer of await writing) {
      expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(JSON.stringify(answer.body)).not.toContain('SQLITE')
    }
    const waiting = write()
    await wait(100)
    outside.exec('commit')
    expect((await waiting).status).toBe(200)
    expect((await operator.listSpaces()).items.map(({ name }) => name)).toEqual(['Late', 'Space'])
  })
})

test('an alias that another room has is a reason to try again', async () => {
  const { running, user } = await startLectern()
  const owner = await user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { alias } = await owner.createRooms({ spaceId, name: 'First' })
  const second = await owner.createRooms({ spaceId, name: 'Second' })
  const collision = running.db.updateTable('rooms').set({ alias }).where('id', '=', second.id).execute()
  expect(await collision.then(() => 'taken', isToRepeat)).toBe(true)
})
