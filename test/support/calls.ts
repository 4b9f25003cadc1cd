import { expect } from 'vitest'
import { newId } from '../../server/ids.ts'
import { createBroadcast } from '../../server/live/broadcast.ts'
import { createCalls } from '../../server/live/calls.ts'
import { createRights } from '../../server/live/rights.ts'
import type { MediaEngine, MediaEvent, MediaPresence } from '../../server/media/engine.ts'
import { openDb } from '../../server/store/db.ts'
import { enrol } from '../../server/store/participants.ts'
import { closeAtTheEnd } from './closing.ts'
import type { Lectern } from './lectern.ts'

/** Calls without a real media engine: what it would tell of is told by hand, and what it is told goes to `control`. */
export const callsByHand = async ({ config }: Lectern, control: MediaEngine | null = null) => {
  const db = await openDb(config)
  closeAtTheEnd(() => db.destroy())
  const media = { engine: () => control && { control, urls: () => [], canMoveChannels: false } }
  const log = { warn: (what: unknown) => expect(what).toBeUndefined() } as never
  const broadcast = createBroadcast(db, media, log)
  const rights = createRights({ db, media, broadcast, now: Date.now, log })
  const calls = createCalls({ db, rights, broadcast, graceSeconds: 0, now: Date.now, wake: () => {} })
  let count = 0
  const tell = async (kind: MediaEvent['kind'], roomId: string, presence?: MediaPresence, at = Date.now()) => {
    const { channelId } = await db
      .selectFrom('rooms')
      .select('channelId')
      .where('id', '=', roomId)
      .executeTakeFirstOrThrow()
    const event = { id: `event ${++count} in ${roomId}`, at, channelId, kind, ...presence } as MediaEvent
    // The engine may tell everything twice.
    await calls.handleEvent(event)
    await calls.handleEvent(event)
  }
  return {
    db,
    tell,
    sweep: calls.sweep,
    calls,
    rights,
    /** Enrols the person as connecting does. */
    async join(
      roomId: string,
      who: { userId: string } | { guestId: string },
      externalUserId: string | null = null,
      tabKey = 'tab-0001',
    ) {
      const now = Date.now()
      const enrolment = { roomId, userId: null, guestId: null, ...who, tabKey }
      const participantId = (await enrol(db, newId(now), enrolment, externalUserId, now)) ?? ''
      const connectionId = `connection ${++count} of ${participantId}`
      return { participantId, connectionId, joinedAt: Date.now(), rights: null, name: '' }
    },
  }
}
