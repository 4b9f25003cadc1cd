import { expect, onTestFinished, test, vi } from 'vitest'
import { createReconciler } from '../../../server/live/reconciler.ts'
import type { ListedPresence, MediaEngine, MediaRights } from '../../../server/media/engine.ts'
import type { MediaState } from '../../../server/media/state.ts'
import { callsByHand } from '../../support/calls.ts'
import { startLectern } from '../../support/lectern.ts'

/* An engine that comes and goes as the test says: test/server/media/crash.test.ts has the real one. */

/** A call of one, who has been in it for long enough to be believed. */
const callOfOne = async () => {
  const lectern = await startLectern({ LECTERN_CALL_GRACE: '3600' })
  let inside: ListedPresence[] = []
  let listings = 0
  let isBusy = false
  let ahead = 0
  const list = async () => {
    listings++
    const coming = { participantId: 'coming', connectionId: `coming ${listings}`, hasMedia: false, rights: null }
    return new Map([[channelId, isBusy ? [...inside, { ...coming, joinedAt: Date.now() + ahead }] : inside]])
  }
  const given: MediaRights[] = []
  const setRights: MediaEngine['setRights'] = async (_channelId, _participantId, rights) => {
    given.push(rights)
    inside = inside.map(presence => ({ ...presence, rights }))
  }
  const control = {
    channels: async () => [channelId],
    list,
    setRights,
    remove: async () => {},
    send: async () => {},
  } as Partial<MediaEngine> as MediaEngine
  const { db, calls, rights, join, tell } = await callsByHand(lectern, control)
  const owner = await lectern.user()
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
  const presence = { ...(await join(roomId, { userId: owner.id })), joinedAt: Date.now() - 60_000 }
  await tell('joined', roomId, presence)
  const { channelId } = await owner.getRoom({ spaceId, roomId })

  let state: MediaState = { status: 'ready' }
  let looks = 0
  inside = [{ ...presence, hasMedia: true, rights: given.at(-1) ?? null }]
  const warnings: unknown[] = []
  const reconciler = createReconciler({
    isLead: () => true,
    db,
    media: {
      engine: () => ({ control, urls: () => [], canMoveChannels: false }),
      // Read once for each look, which comes a second after the last.
      state() {
        looks++
        ahead += 1000
        return state
      },
    },
    // Nothing ends here: what is looked at is who is in the call.
    calls: { ...calls, sweep: async () => {} },
    rights,
    now: () => Date.now() + ahead,
    log: { warn: (what: unknown) => warnings.push(what) } as never,
  })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => {
    reconciler.stop()
    vi.useRealTimers()
    // What comes later is of a look that the end of the test has cut off.
    expect(warnings).toEqual([])
  })
  reconciler.start()
  await vi.waitFor(() => expect(listings).toBe(1))
  return {
    become(status: 'starting' | 'ready') {
      state = { status }
    },
    given,
    /** As if what it was told had been lost. */
    forget() {
      inside = inside.map(presence => ({ ...presence, rights: null }))
    },
    empty() {
      inside = []
    },
    /** Whenever it is looked at, someone has just begun to connect. */
    crowd() {
      isBusy = true
    },
    advance(milliseconds: number) {
      ahead += milliseconds
    },
    /** Until it has looked at the engine and is through: the second look begins when the first is. */
    async aLook() {
      const before = looks
      await vi.waitFor(
        () => {
          vi.advanceTimersByTime(1000)
          expect(looks).toBeGreaterThan(before + 1)
        },
        { interval: 10 },
      )
    },
    count: async () => (await owner.getLiveCall({ spaceId, roomId })).participants.length,
  }
}

test('an engine that was gone for less than a look is compared with at once', async () => {
  const { become, empty, aLook, count } = await callOfOne()
  empty()
  await aLook()
  expect(await count()).toBe(1)
  become('starting')
  become('ready')
  await aLook()
  expect(await count()).toBe(0)
})

test('whoever was in an engine that does not come back has left; until then it is waited for', async () => {
  const { become, advance, aLook, count } = await callOfOne()
  become('starting')
  await aLook()
  advance(20_000)
  await aLook()
  expect(await count()).toBe(1)
  advance(10_000)
  await aLook()
  expect(await count()).toBe(0)
})

test('the engine is told the rights that it does not hold to, and no others', async () => {
  const { given, forget, advance, aLook } = await callOfOne()
  const all = { camera: true, microphone: true, screen: true }
  // As they joined: the event says nothing of rights, and is delivered twice.
  expect(given).toEqual([all, all])
  advance(35_000)
  await aLook()
  expect(given).toHaveLength(2)
  forget()
  advance(35_000)
  await aLook()
  expect(given).toEqual([all, all, all])
})

test('rights are held to also where somebody is always just coming', async () => {
  const { given, forget, crowd, advance, aLook } = await callOfOne()
  await aLook()
  crowd()
  forget()
  const told = given.length
  advance(35_000)
  await aLook()
  expect(given).toHaveLength(told + 1)
  // And not at each look.
  forget()
  await aLook()
  expect(given).toHaveLength(told + 1)
  advance(35_000)
  await aLook()
  expect(given).toHaveLength(told + 2)
})
