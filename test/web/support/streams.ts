import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../../server/config.ts'
import { findOpenCall } from '../../../server/store/calls.ts'
import { openDb } from '../../../server/store/db.ts'
import { createStream, type Segment } from '../../../server/store/streams.ts'
import type { Db, Row } from '../../../server/store/tables.ts'
import type { Installation } from './lectern.ts'
import type { Place } from './participant.ts'

type Change = Partial<Row<'streams'>>

/** Nobody else's: the service leaves it alone. */
const held = { workerId: 'the test', leaseUntil: Date.now() + 24 * 3600_000 }

/** Live streams without a browser that captures: what the service would write down is written down by hand. */
export const streamsIn = ({ data, operator }: Installation, at: Place) => {
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
    await using(db => db.updateTable('streams').set(to).where('id', '=', id).execute())
    await tell()
  }
  /** What moves, and beeps. */
  const makeSegments = (id: string, seconds: number): Segment[] => {
    const folder = join(data, 'records')
    mkdirSync(folder, { recursive: true })
    const inputs = [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=640x360:r=10',
      '-f',
      'lavfi',
      '-i',
      'sine=frequency=300:beep_factor=4',
    ]
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '20', '-c:a', 'aac']
    const cut = ['-f', 'segment', '-segment_time', '2', join(folder, `${id}-%03d.ts`)]
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...inputs, '-t', String(seconds), ...codecs, ...cut])
    const addedAt = Date.now()
    return readdirSync(folder)
      .filter(name => name.startsWith(id))
      .sort()
      .map((place, sequence) => ({ sequence, part: 0, durationMs: 2000, place, addedAt }))
  }
  return {
    change,
    /** Of the call that goes on. */
    start: async (to: Change = {}) => {
      const id = await using(async db => {
        const call = await findOpenCall(db, at.roomId)
        const stream = call && (await createStream(db as never, call, null, Date.now()))
        if (!stream || typeof stream === 'string') throw new Error('there is no call to stream')
        await db
          .updateTable('streams')
          .set({ ...held, ...to })
          .where('id', '=', stream.id)
          .execute()
        return stream.id
      })
      await tell()
      return id
    },
    /** So much of it can be watched. */
    goLive: (id: string, seconds: number, to: Change = {}) =>
      change(id, { startedAt: Date.now(), segments: JSON.stringify(makeSegments(id, seconds)), ...to }),
    end: (id: string) => change(id, { stopAt: Date.now(), endedAt: Date.now() }),
  }
}
