import { expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../../server/ids.ts'
import { createReconciler } from '../../../server/live/reconciler.ts'
import type { ListedPresence, MediaEngine } from '../../../server/media/engine.ts'
import type { MediaState } from '../../../server/media/state.ts'
import { inBatches } from '../../../server/store/batches.ts'
import { holdOpenCall } from '../../../server/store/calls.ts'
import { transact } from '../../../server/store/db.ts'
import { enrol } from '../../../server/store/participants.ts'
import { callsByHand } from '../../support/calls.ts'
import { createPostgresDatabase, kinds } from '../../support/databases.ts'
import { startLectern } from '../../support/lectern.ts'
import { isLong } from '../../support/long.ts'
import { countStatements } from '../../support/statements.ts'

const PEOPLE = isLong ? 10_000 : 600
/** Before it ends for all others. */
const LEAVING = 10
/** Whatever the service does meanwhile, and what is done once; far less than one for each. */
const FEW = 40
const BATCHES = Math.ceil(PEOPLE / 500)

const ready: MediaState = { status: 'ready' }
const nothing = { camera: false, microphone: false, screen: false }

/** A webinar with that many guests in its channel, of whom no event has told. */
const crowd = async (kind: (typeof kinds)[number]) => {
  const lectern = await startLectern({ DATABASE_URL: kind === 'postgres' ? await createPostgresDatabase() : '' })
  let inside: ListedPresence[] = []
  const told: string[] = []
  const control = {
    channels: async () => [channelId],
    list: async () => new Map([[channelId, inside]]),
    listIn: async () => inside,
    setRights: async (_channelId, participantId) => void told.push(participantId),
    remove: async (_channelId, participantId) => void told.push(participantId),
    send: async () => {},
  } as Partial<MediaEngine> as MediaEngine
  const byHand = await callsByHand(lectern, control)
  const { db, calls, rights } = byHand
  const owner = await lectern.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room', type: 'webinar' })
  const { channelId } = await owner.getRoom({ spaceId, roomId })
  await owner.createWebhook({ spaceId, url: 'https://example.com/' })
  await owner.setWebhookEvents({
    spaceId,
    events: ['call_started', 'call_finished', 'participant_joined', 'participant_left'],
  })
  await owner.generateAccess({ spaceId, roomId, role: 'user', isPermanent: true })
  const { id: linkId } = await db.selectFrom('links').select('id').executeTakeFirstOrThrow()
  const [now, joinedAt] = [Date.now(), Date.now() - 60_000]
  const people = Array.from({ length: PEOPLE }, (_, n) => ({
    guestId: newId(Date.now()),
    participantId: newId(Date.now()),
    name: `Guest ${n}`,
  }))
  for (const some of inBatches(people))
    await transact(db, async trx => {
      const rows = some.map(({ guestId: id, name }) => ({
        id,
        linkId,
        name,
        createdAt: now,
        expiresAt: now + 3_600_000,
      }))
      await trx.insertInto('guests').values(rows).execute()
      for (const { guestId, participantId } of some)
        await enrol(trx, participantId, { roomId, userId: null, guestId, tabKey: 'tab-0001' }, null, now)
    })
  inside = people.map(({ participantId }) => ({
    participantId,
    connectionId: `connection of ${participantId}`,
    joinedAt,
    hasMedia: true,
    rights: nothing,
    name: '',
  }))
  // To the service nothing is due: what is recorded here is not sent.
  lectern.advance(-3_600_000)

  let looks = 0
  /** Once, to its end: the next look does not begin before. */
  const reconcile = async () => {
    const reconciler = createReconciler({
      isLead: () => true,
      db,
      media: {
        engine: () => ({ control, urls: () => [], canMoveChannels: false }),
        state() {
          looks++
          return ready
        },
      },
      calls: { ...calls, sweep: async () => {} },
      rights,
      now: Date.now,
      log: { warn: (what: unknown) => expect(what).toBeUndefined() } as never,
    })
    const before = looks
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    reconciler.start()
    await vi.waitFor(
      () => {
        vi.advanceTimersByTime(1000)
        expect(looks).toBeGreaterThan(before + 1)
      },
      { timeout: 60_000, interval: 5 },
    )
    reconciler.stop()
    vi.useRealTimers()
  }
  onTestFinished(() => void vi.useRealTimers())

  return {
    db,
    calls,
    rights,
    roomId,
    channelId,
    reconcile,
    told,
    leave: () => inside.splice(0, LEAVING),
    inside: () => inside,
    openStays: async () => (await db.selectFrom('stays').select('id').where('leftAt', 'is', null).execute()).length,
    recorded: async (eventName: string) =>
      (await db.selectFrom('deliveries').select('id').where('eventName', '=', eventName).execute()).length,
  }
}

test.each(kinds)(
  `${PEOPLE} in a call take a few statements for each batch of them, on %s`,
  async kind => {
    const { db, calls, rights, roomId, channelId, reconcile, told, leave, inside, openStays, recorded } =
      await crowd(kind)
    const measure = countStatements()
    const seen: Record<string, { statements: number; milliseconds: number }> = {}

    seen.found = await measure(reconcile)
    expect(await openStays()).toBe(PEOPLE)
    expect(await recorded('participant_joined')).toBe(PEOPLE)
    expect(await recorded('call_started')).toBe(1)
    seen.again = await measure(reconcile)
    seen.rights = await measure(() => rights.applyAll(channelId, inside()))
    expect(told).toEqual([])

    leave()
    seen.missing = await measure(reconcile)
    expect(await openStays()).toBe(PEOPLE - LEAVING)
    expect(await recorded('participant_left')).toBe(LEAVING)

    seen.ended = await measure(() =>
      transact(db, async trx => {
        const call = await holdOpenCall(trx, roomId)
        if (call) await calls.end(trx, call)
      }),
    )
    expect(await openStays()).toBe(0)
    expect(await recorded('participant_left')).toBe(PEOPLE)
    expect(await recorded('call_finished')).toBe(1)

    console.log(`${PEOPLE} in a call on ${kind}: ${JSON.stringify(seen)}`)
    // Each of them: who it is, what they may, whether they are in the call, who is new.
    expect(seen.found?.statements).toBeLessThan(BATCHES * 25 + FEW)
    for (const name of ['again', 'missing']) expect(seen[name]?.statements).toBeLessThan(BATCHES * 8 + FEW)
    expect(seen.rights?.statements).toBeLessThan(BATCHES * 5 + FEW)
    expect(seen.ended?.statements).toBeLessThan(BATCHES * 2 + FEW)
  },
  isLong ? 300_000 : 60_000,
)
