import Database from 'better-sqlite3'
import type { BareStore } from './bare.ts'

export const openBareSqlite = (file: string): BareStore => {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec(
    'CREATE TABLE rooms (id TEXT PRIMARY KEY, spaceId TEXT, alias TEXT, channelId TEXT, name TEXT, type TEXT, isPublic INTEGER, isChatAllowed INTEGER, isScreensharingAllowed INTEGER, isFloorAllowed INTEGER, creatorId TEXT, createdAt INTEGER)',
  )
  database.exec(
    'CREATE TABLE audit (id TEXT PRIMARY KEY, at INTEGER, action TEXT, actorKind TEXT, actorId TEXT, actorName TEXT, address TEXT, tokenId TEXT, spaceId TEXT, targetType TEXT, targetId TEXT, targetName TEXT, details TEXT)',
  )
  const insert = database.prepare('INSERT INTO rooms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const record = database.prepare('INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const select = database.prepare('SELECT * FROM rooms WHERE id = ?')
  return {
    create: database.transaction((room: unknown[], act: unknown[]) => {
      insert.run(...room)
      record.run(...act)
    }),
    find: id => select.get(id),
  }
}
