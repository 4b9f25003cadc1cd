import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let owner: Person
let spaceId: string

beforeAll(async () => {
  lectern = await startLectern()
  owner = await lectern.user()
  spaceId = (await owner.createSpaces({ name: 'Space' })).id
})
afterAll(() => lectern.stop())

describe('createRooms', () => {
  test('answers exactly alias, id and channelId', async () => {
    const room = await owner.createRooms({ spaceId, name: 'Room' })
    expect(Object.keys(room).sort()).toEqual(['alias', 'channelId', 'id'])
    expect(room.alias).toMatch(/^[a-hjkmnp-z]{3}-[a-hjkmnp-z]{4}-[a-hjkmnp-z]{3}$/)
  })

  test('fills in the defaults', async () => {
    const { id } = await owner.createRooms({ spaceId, name: '  Room  ' })
    expect(await owner.getRoom({ spaceId, roomId: id })).toMatchObject({
      name: 'Room',
      type: 'lesson',
      isPublic: false,
      isChatAllowed: true,
      isScreensharingAllowed: true,
      isFloorAllowed: false,
      creatorId: owner.id,
    })
  })

  test('refuses who does not manage the space', async () => {
    const stranger = await lectern.user()
    expect(await refusal(stranger.createRooms({ spaceId, name: 'Room' }))).toEqual([404, 'not_found'])
  })
})

describe('a room', () => {
  test('is reached by id and by alias', async () => {
    const { id, alias } = await owner.createRooms({ spaceId, name: 'Room' })
    expect((await owner.getRoom({ spaceId, roomId: alias })).id).toBe(id)
  })
})
