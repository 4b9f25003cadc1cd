import { readConfig } from '../../../server/config.ts'
import { openDb } from '../../../server/store/db.ts'
import { fillCall } from '../../support/crowd.ts'
import type { Installation } from './lectern.ts'

const HOUR = 60 * 60 * 1000

/** As many more in the room's call as make it a large one. Whom the engine doesn't list is let be while they may be new. */
export const makeLarge = async ({ data }: Installation, roomId: string, name: string) => {
  const db = await openDb(readConfig({ LECTERN_DATA: data }))
  await fillCall(
    db,
    roomId,
    Array.from({ length: 101 }, (_, n) => ({ name: `${name} ${n + 1}`, joinedAt: Date.now() + HOUR })),
  )
  await db.destroy()
}
