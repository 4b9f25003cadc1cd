import { beforeAll, describe, expect, test, vi } from 'vitest'
import { admit, tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import { ENGINE_WITHIN_MS, enter, goneFrom, type Place, untilMedia } from '../../support/live.ts'

/* Rights that end while people are in a call, with the real engine. */

let lectern: Lectern
beforeAll(async () => {
  lectern = await startLectern({ LECTERN_MEDIA: 'on' })
  await untilMedia(lectern.url, 'ready', ENGINE_WITHIN_MS)
}, ENGINE_WITHIN_MS + 60_000)

const openRoom = async (creator: Person, spaceId: string) => {
  const { id: roomId, channelId } = await creator.createRooms({ spaceId, name: 'Room' })
  return { at: { spaceId, roomId }, channelId }
}

const guestOf = async (maker: Person, at: Place, role: 'user' | 'moderator') => {
  const accessToken = tokenOf(await maker.generateAccess({ ...at, role, username: 'Guest' }))
  return lectern.withToken((await lectern.anonymous.redeemAccess({ accessToken })).guestToken)
}

describe('guests in the call are out within a second of', () => {
  const losses: Record<
    string,
    { isCreator?: true; lose: (at: Place, owner: Person, maker: Person) => Promise<unknown> }
  > = {
    'the role of who made their link being revoked': {
      lose: (at, owner, maker) => owner.revokeRole({ ...at, userId: maker.id }),
    },
    'that role being lowered': {
      lose: (at, owner, maker) => owner.grantRole({ ...at, targetUserId: maker.id, role: 'role_room_user' }),
    },
    'their removal from the call': {
      async lose(at, owner, maker) {
        const { participantId } = await enter(maker, at)
        await owner.removeParticipant({ ...at, participantId })
      },
    },
    'their removal from the space': {
      lose: ({ spaceId }, owner, maker) => owner.removeMember({ spaceId, userId: maker.id }),
    },
    'the end of their account': { lose: (_at, _owner, maker) => lectern.operator.deleteUser({ userId: maker.id }) },
    'the room passing on from them, if they moderate': {
      isCreator: true,
      lose: ({ spaceId }, _owner, maker) => maker.removeMember({ spaceId, userId: maker.id }),
    },
  }
  test.each(Object.entries(losses))('%s', async (_name, { isCreator, lose }) => {
    const [owner, maker] = await Promise.all([lectern.user(), lectern.user()])
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    await admit(owner, spaceId, maker, 'role_space_moderator')
    const { at } = await openRoom(isCreator ? maker : owner, spaceId)
    if (!isCreator) await owner.grantRole({ ...at, targetUserId: maker.id, role: 'role_room_moderator' })
    const guest = await enter(await guestOf(maker, at, 'moderator'), at)
    const other = await enter(isCreator ? await guestOf(maker, at, 'user') : owner, at)
    await vi.waitFor(async () => expect((await owner.getLiveCall(at)).participants).toHaveLength(2), { timeout: 5000 })
    const gone = goneFrom(guest.room)
    await lose(at, owner, maker)
    const endedAt = Date.now()
    await gone
    expect(Date.now() - endedAt).toBeLessThan(1000)
    expect(other.room.isConnected).toBe(true)
  })
})

test('a change concerns those in its room or space alone, and none comes of ending sessions', async () => {
  const [owner, elsewhere, user] = await Promise.all([lectern.user(), lectern.user(), lectern.user()])
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  const here = await openRoom(owner, spaceId)
  const beside = await openRoom(owner, spaceId)
  const { id: otherSpaceId } = await elsewhere.createSpaces({ name: 'Other' })
  const there = await openRoom(elsewhere, otherSpaceId)
  for (const [person, { at }] of [
    [owner, here],
    [owner, beside],
    [elsewhere, there],
  ] as const) {
    await enter(person, at)
    await vi.waitFor(async () => expect((await person.getLiveCall(at)).participants).toHaveLength(1), { timeout: 5000 })
  }
  const channels = new Map([here, beside, there].map(({ channelId }, index) => [channelId, index]))
  const spies = [vi.spyOn(lectern.engine(), 'listIn'), vi.spyOn(lectern.engine(), 'setRights')] as const
  /** What the engine is asked for on behalf of changed rights, in order. */
  const askedSince = async (change: () => Promise<unknown>) => {
    vi.clearAllMocks()
    await change()
    // Twice as long as changes are gathered, and more: nothing comes any more.
    await new Promise(resolve => setTimeout(resolve, 300))
    return spies
      .flatMap(spy =>
        spy.mock.calls.map(([channelId], index) => ({
          asked: `${spy.getMockName()} ${channels.get(channelId)}`,
          order: spy.mock.invocationCallOrder[index] ?? 0,
        })),
      )
      .sort((a, b) => a.order - b.order)
      .map(({ asked }) => asked)
  }

  expect(
    await askedSince(async () => {
      const { refresh_token } = await lectern.anonymous.signIn(user.username, user.password)
      await lectern.anonymous.revokeToken({ token: refresh_token ?? '' })
      await user.endOtherSessions()
      await user.changePassword({ currentPassword: user.password, newPassword: 'another password' })
      await lectern.operator.resetPassword({ userId: user.id, password: 'yet another password' })
    }),
  ).toEqual([])
  // Many changes, looked at together as far as they come close together; the engine is told nothing that it does already.
  const changes = 20
  const asked = await askedSince(() =>
    Promise.all(Array.from({ length: changes }, (_, index) => owner.updateRoom({ ...here.at, name: `Room ${index}` }))),
  )
  expect([...new Set(asked)]).toEqual(['listIn 0'])
  expect(asked.length).toBeLessThan(changes / 2)
  expect(
    await askedSince(() => owner.grantRole({ ...here.at, targetUserId: user.id, role: 'role_room_user' })),
  ).toEqual(['listIn 0'])
  expect(await askedSince(() => owner.updateRoom({ ...here.at, isScreensharingAllowed: false }))).toEqual([
    'listIn 0',
    'setRights 0',
  ])
  expect((await askedSince(() => owner.updateSpace({ spaceId, isPublic: true }))).sort()).toEqual([
    'listIn 0',
    'listIn 1',
  ])
})
