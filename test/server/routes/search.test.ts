import { describe, expect, test } from 'vitest'
import { callsByHand } from '../../support/calls.ts'
import { createCast } from '../../support/cast.ts'
import { refusal, startLectern } from '../../support/lectern.ts'

const lectern = await startLectern()

const named = async (list: Promise<{ items: { name: string }[] }>) => (await list).items.map(({ name }) => name)

describe('rooms', () => {
  test('are found by how their name begins, whatever its case and alphabet', async () => {
    const { owner, spaceId } = await createCast(lectern)
    for (const name of [
      'Алгебра',
      'алгоритмы',
      'Algebra',
      'Straße',
      'ΟΔΟΣΗΜΑ',
      '100% yours',
      '100 ways',
      'ﬁne',
      'a_b',
      'acb',
    ])
      await owner.createRooms({ spaceId, name })
    const find = (q: string) => named(owner.listRooms({ spaceId, q }))
    expect(await find('АЛГ')).toEqual(['Алгебра', 'алгоритмы'])
    expect(await find(' algebra ')).toEqual(['Algebra'])
    expect(await find('STRASS')).toEqual(['Straße'])
    expect(await find('οδος')).toEqual(['ΟΔΟΣΗΜΑ'])
    expect(await find('fi')).toEqual(['ﬁne'])
    // What means something in a pattern means nothing here.
    expect(await find('100%')).toEqual(['100% yours'])
    expect(await find('a_')).toEqual(['a_b'])
    expect(await find('gebra')).toEqual([])
    expect(await find(' ')).toHaveLength(10)
  })

  test('are found page by page in the order of their names, also of one name and while others come and go', async () => {
    const { owner, spaceId } = await createCast(lectern)
    const names = ['Lesson', 'Lesson', 'Lesson', 'Lesson 2', 'lesson 1', 'Other', '\u{10ffff}last']
    const rooms = await Promise.all(names.map(name => owner.createRooms({ spaceId, name })))
    const found: { id: string; name: string }[] = []
    let cursor: string | null = null
    do {
      const { items, nextCursor } = await owner.listRooms({ spaceId, q: 'lesson', limit: 2, ...(cursor && { cursor }) })
      found.push(...items)
      cursor = nextCursor
      // The one that the cursor stands at goes.
      if (found.length === 2) await owner.deleteRoom({ spaceId, roomId: found[1]?.id ?? '' })
    } while (cursor)
    expect(found.map(({ name }) => name)).toEqual(['Lesson', 'Lesson', 'Lesson', 'lesson 1', 'Lesson 2'])
    expect(new Set(found.map(({ id }) => id)).size).toBe(5)
    expect(rooms.map(({ id }) => id)).toEqual(expect.arrayContaining(found.map(({ id }) => id)))
    expect(await named(owner.listRooms({ spaceId, q: '\u{10ffff}' }))).toEqual(['\u{10ffff}last'])
  })

  test('of a plain user are those they may join, by their new name', async () => {
    const { owner, member, spaceId } = await createCast(lectern)
    const make = async (name: string, isPublic = false) => (await owner.createRooms({ spaceId, name, isPublic })).id
    await make('Physics hidden')
    const open = await make('Physics open', true)
    const withRole = await make('Physics with a role')
    await make('Chemistry', true)
    await owner.grantRole({ spaceId, roomId: withRole, targetUserId: member.id, role: 'role_room_user' })
    const find = (q: string) => named(member.listRooms({ spaceId, q }))
    expect(await find('phys')).toEqual(['Physics open', 'Physics with a role'])
    const { items, nextCursor } = await member.listRooms({ spaceId, q: 'phys', limit: 1 })
    expect(items).toMatchObject([{ id: open }])
    expect(await named(member.listRooms({ spaceId, q: 'phys', limit: 1, cursor: nextCursor ?? '' }))).toEqual([
      'Physics with a role',
    ])
    await owner.updateRoom({ spaceId, roomId: open, name: 'Waves' })
    expect(await find('phys')).toEqual(['Physics with a role'])
    expect(await find('wav')).toEqual(['Waves'])
  })

  test('are not told by what they are found', async () => {
    const { owner, spaceId } = await createCast(lectern)
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Algebra' })
    await owner.updateRoom({ spaceId, roomId, name: 'Geometry' })
    const told = [await owner.listRooms({ spaceId }), await owner.getRoom({ spaceId, roomId })]
    const { items } = await owner.listSpaceAudit({ spaceId, action: 'room.updated' })
    expect(items).toMatchObject([{ details: { name: 'Geometry' } }])
    expect(JSON.stringify([told, items])).not.toMatch(/nameKey|geometry/)
  })

  test.each([
    ['too long', { q: 'a'.repeat(201) }],
    ['no cursor', { q: 'a', cursor: 'nonsense' }],
    ['with NUL', { q: '\0' }],
  ])('a search that is %s is refused', async (_what, query) => {
    const { owner, spaceId } = await createCast(lectern)
    expect(await refusal(owner.listRooms({ spaceId, ...query }))).toEqual([400, 'invalid_request'])
  })

  test('any cursor of the right form is taken', async () => {
    const { owner, spaceId } = await createCast(lectern)
    for (const tail of ['', '.AA', '.____', '.YQ'])
      for (const q of ['a', undefined])
        expect((await owner.listRooms({ spaceId, ...(q && { q }), cursor: `${spaceId}${tail}` })).nextCursor).toBeNull()
  })
})

test('people are found by the name they are shown by, in the space and by the operator', async () => {
  const { owner, member, moderator, spaceId } = await createCast(lectern)
  const unique = `Ж${owner.id.slice(-6)}`
  await member.updateMe({ displayName: `${unique} Лавлейс` })
  await moderator.updateMe({ displayName: `${unique} Бэббидж` })
  const q = unique.toLowerCase()
  const members = async () => (await owner.listMembers({ spaceId, q })).items.map(({ userId }) => userId)
  const users = async () => (await lectern.operator.listUsers({ q })).items.map(({ id }) => id)
  expect([await members(), await users()]).toEqual([
    [moderator.id, member.id],
    [moderator.id, member.id],
  ])
  const first = await owner.listMembers({ spaceId, q, limit: 1 })
  const second = await owner.listMembers({ spaceId, q, limit: 1, cursor: first.nextCursor ?? '' })
  expect([first, second].map(({ items }) => items[0]?.userId)).toEqual([moderator.id, member.id])
  expect(second.nextCursor).toBeNull()

  // Without a name of their own, by the username again.
  await moderator.updateMe({ displayName: null })
  expect([await members(), await users()]).toEqual([[member.id], [member.id]])
  expect((await owner.listMembers({ spaceId, q: moderator.username.toUpperCase() })).items).toMatchObject([
    { userId: moderator.id },
  ])
  const { id: another } = await member.createSpaces({ name: 'Another' })
  expect((await member.listMembers({ spaceId: another, q })).items).toMatchObject([{ userId: member.id }])
})

test('calls are found by the name of their room, live or ended', async () => {
  const { owner, spaceId } = await createCast(lectern)
  const { tell, join, db } = await callsByHand(lectern)
  const { id: algebra } = await owner.createRooms({ spaceId, name: 'Algebra' })
  const { id: physics } = await owner.createRooms({ spaceId, name: 'Physics' })
  for (const roomId of [algebra, physics]) await tell('joined', roomId, await join(roomId, { userId: owner.id }))
  await owner.endCall({ spaceId, roomId: algebra })
  const find = async (query: { q?: string; state?: 'live' | 'ended' }) =>
    (await owner.listSpaceCalls({ spaceId, ...query })).items.map(({ roomName }) => roomName)
  expect(await find({ q: 'ALG' })).toEqual(['Algebra'])
  expect(await find({ q: 'ALG', state: 'live' })).toEqual([])
  expect(await find({ state: 'live' })).toEqual(['Physics'])
  expect(await find({ state: 'ended' })).toEqual(['Algebra'])
  expect(await find({})).toEqual(['Physics', 'Algebra'])
  const inRoom = async (state: 'live' | 'ended') =>
    (await owner.listCalls({ spaceId, roomId: physics, state })).items.length
  expect([await inRoom('live'), await inRoom('ended')]).toEqual([1, 0])
  await db.destroy()
})
