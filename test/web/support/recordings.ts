import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../../server/config.ts'
import { findOpenCall } from '../../../server/store/calls.ts'
import { openDb } from '../../../server/store/db.ts'
import { createRecord } from '../../../server/store/records.ts'
import type { Db, Row } from '../../../server/store/tables.ts'
import type { Installation } from './lectern.ts'
import type { Place } from './participant.ts'

type Change = Partial<Row<'records'>>

/** Nobody else's: the recorders of the service leave it alone. */
const held = { workerId: 'the test', leaseUntil: Date.now() + 24 * 3600_000 }

/** Recordings without a recorder: what it would write down is written down by hand. */
export const recordingsIn = ({ data, operator }: Installation, at: Place) => {
  const using = async <T>(work: (db: Db) => Promise<T>) => {
    const db = await openDb(readConfig({ LECTERN_DATA: data }))
    try {
      return await work(db)
    } finally {
      await db.destroy()
    }
  }
  /** The pages of the room look at the call again. */
  const tell = () => operator.lowerAllHands(at).catch(() => {})
  const change = async (id: string, to: Change) => {
    await using(db => db.updateTable('records').set(to).where('id', '=', id).execute())
    await tell()
  }
  return {
    change,
    /** Of the call that goes on. */
    start: async (to: Change = {}) => {
      const id = await using(async db => {
        const call = await findOpenCall(db, at.roomId)
        const record = call && (await createRecord(db as never, call, Date.now()))
        if (!record || typeof record === 'string') throw new Error('there is no call to record')
        await db
          .updateTable('records')
          .set({ ...held, ...to })
          .where('id', '=', record.id)
          .execute()
        return record.id
      })
      await tell()
      return id
    },
    end: (id: string, to: Change = {}) => change(id, { state: 'processing', endedAt: Date.now(), ...to }),
    /** A few seconds that move, with a picture of them. */
    finish: async (id: string, to: Change = {}) => {
      const folder = join(data, 'records')
      mkdirSync(folder, { recursive: true })
      const ffmpeg = (...args: string[]) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...args])
      const file = join(folder, `${id}.mp4`)
      ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=320x180:d=3', '-pix_fmt', 'yuv420p', '-movflags', '+faststart', file)
      ffmpeg('-i', file, '-frames:v', '1', join(folder, `${id}.jpg`))
      const now = Date.now()
      const made = { place: `${id}.mp4`, picture: `${id}.jpg`, durationMs: 3000, size: 34_500_000 }
      await change(id, { state: 'ready', endedAt: now, finishedAt: now, ...made, ...to })
    },
  }
}
