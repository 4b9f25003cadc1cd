import Database from 'better-sqlite3'
import type { BareStore } from './bare.ts'
import { createSchema, insertInto } from './bareTables.ts'

/** `isShared`: requests that are there together share one commit, and its flush. */
export const openBareSqlite = (file: string, isIndexed: boolean, isShared: boolean): BareStore => {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  for (const sql of createSchema(isIndexed)) database.exec(sql)
  const insertRoom = database.prepare(insertInto('rooms', () => '?'))
  const insertAct = database.prepare(insertInto('audit', () => '?'))
  const select = database.prepare('SELECT * FROM rooms WHERE id = ?')
  const create = (room: unknown[], act: unknown[]) => {
    insertRoom.run(...room)
    insertAct.run(...act)
  }

  let waiting: { rows: [unknown[], unknown[]]; done: () => void }[] = []
  const createAll = database.transaction((all: typeof waiting) => {
    for (const { rows } of all) create(...rows)
  })
  const commit = () => {
    const all = waiting
    waiting = []
    createAll(all)
    for (const { done } of all) done()
  }
  const createShared: BareStore['create'] = (...rows) =>
    new Promise<void>(done => {
      if (waiting.length === 0) setImmediate(commit)
      waiting.push({ rows, done })
    })

  return { create: isShared ? createShared : database.transaction(create), find: id => select.get(id) }
}
