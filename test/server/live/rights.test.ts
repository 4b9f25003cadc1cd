import { expect, test } from 'vitest'
import type { MediaEngine, MediaEvent, MediaRights } from '../../../server/media/engine.ts'
import { transact } from '../../../server/store/db.ts'
import { setFloor } from '../../../server/store/participants.ts'
import { callsByHand } from '../../support/calls.ts'
import { startLectern } from '../../support/lectern.ts'

/* An engine that answers when the test says: what is asked for meanwhile waits for its turn. */

test('the floor that is given and taken while the engine is busy is taken, whatever late events say of rights', async () => {
  const lectern = await startLectern()
  const given: MediaRights[] = []
  let answer = () => {}
  const setRights: MediaEngine['setRights'] = async (_channelId, _participantId, rights) => {
    given.push(rights)
    if (rights.camera) await new Promise<void>(resolve => (answer = resolve))
  }
  const control = { setRights, send: async () => {} } as Partial<MediaEngine> as MediaEngine
  const { db, calls, rights, join } = await callsByHand(lectern, control)
  const [owner, viewer] = await Promise.all([lectern.user(), lectern.user()])
  const { id: spaceId } = await owner.createSpaces({ name: 'Space', isPublic: true })
  const room = { name: 'Room', isPublic: true, type: 'webinar', isFloorAllowed: true } as const
  const { id: roomId, channelId } = await owner.createRooms({ spaceId, ...room })

  const presence = await join(roomId, { userId: viewer.id })
  const { participantId } = presence
  const viewing = { id: participantId, roomId, person: `user:${viewer.id}` }
  const watching = { camera: false, microphone: false, screen: false }
  const joined: MediaEvent = { id: 'joined', at: Date.now(), channelId, kind: 'joined', ...presence, rights: watching }
  const giveFloor = async (onAir: boolean) => {
    await transact(db, trx => setFloor(trx, viewing, onAir))
    return rights.apply(channelId, participantId)
  }
  await calls.handleEvent(joined)
  expect(given).toEqual([])

  const onAir = giveFloor(true)
  await expect.poll(() => given.length).toBe(1)
  // As when the event of joining is delivered again, with the rights of that time.
  const late = rights.apply(channelId, participantId, { rights: watching, name: '' })
  const offAir = giveFloor(false)
  await new Promise(resolve => setTimeout(resolve, 100))
  answer()
  await Promise.all([onAir, late, offAir])
  expect(given.at(-1)).toEqual(watching)
})
