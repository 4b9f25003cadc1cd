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

  test('of all spaces are found at once: those that are listed in each, and no others', async () => {
    const { owner, member, moderator, spaceId, stranger } = await createCast(lectern)
    const unique = `Ю${owner.id.slice(-6)}`
    const make = async (maker: typeof owner, inSpace: string, name: string, isPublic = false) =>
      (await maker.createRooms({ spaceId: inSpace, name: `${unique} ${name}`, isPublic })).id
    const { id: spaceOfMember } = await member.createSpaces({ name: 'Own' })
    const { id: publicSpace } = await stranger.createSpaces({ name: 'Public', isPublic: true })
    const { id: foreignSpace } = await stranger.createSpaces({ name: 'Foreign' })
    await make(owner, spaceId, 'b open', true)
    await make(owner, spaceId, 'c hidden')
    const withRole = await make(owner, spaceId, 'd with a role')
    await make(moderator, spaceId, 'e of the moderator')
    await make(member, spaceOfMember, 'a own')
    const elsewhere = await make(stranger, publicSpace, 'f elsewhere')
    await make(stranger, publicSpace, 'g not theirs', true)
    const foreign = await make(stranger, foreignSpace, 'h foreign')
    const roomRole = { targetUserId: member.id, role: 'role_room_user' } as const
    await owner.grantRole({ spaceId, roomId: withRole, ...roomRole })
    await stranger.grantRole({ spaceId: publicSpace, roomId: elsewhere, ...roomRole })
    await stranger.grantRole({ spaceId: foreignSpace, roomId: foreign, ...roomRole })
    const find = async (person: typeof owner) =>
      (await named(person.searchRooms({ q: unique.toLowerCase() }))).map(name => name.slice(unique.length + 1))

    expect(await find(member)).toEqual(['a own', 'b open', 'd with a role', 'f elsewhere'])
    expect(await find(owner)).toEqual(['b open', 'c hidden', 'd with a role', 'e of the moderator'])
    // A creator who manages the space no longer finds their own and what is open.
    await owner.setMemberRole({ spaceId, userId: moderator.id, role: 'role_space_user' })
    expect(await find(moderator)).toEqual(['b open', 'e of the moderator'])

    const { items, nextCursor } = await member.searchRooms({ q: unique, limit: 1 })
    expect(items).toMatchObject([{ name: `${unique} a own`, spaceId: spaceOfMember, spaceName: 'Own' }])
    const next = await member.searchRooms({ q: unique, limit: 2, cursor: nextCursor ?? '' })
    expect(next.items.map(({ name }) => name)).toEqual([`${unique} b open`, `${unique} d with a role`])
    expect(JSON.stringify(items)).not.toContain('nameKey')
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

test('the operator finds users by name, then by username, then by e-mail address, nobody twice', async () => {
  const unique = `q${(await lectern.user()).id.slice(-6)}`
  const make = async (username: string, email: string, displayName: string | null) => {
    const { id } = await lectern.operator.createUser({ username, email, password: 'password' })
    const { access_token } = await lectern.anonymous.createToken({
      grant_type: 'password',
      username,
      password: 'password',
    })
    if (displayName !== null) await lectern.withToken(access_token).updateMe({ displayName })
    return id
  }
  const byEmail = await make(`z1${unique}`, `${unique}a@example.com`, 'Countess')
  // As it is compared, each letter at its end is eighteen.
  const byUsername = await make(`${unique.toUpperCase()}b${'ﷺ'.repeat(50)}`, `z2${unique}@example.com`, 'Ada')
  const byUsernameToo = await make(`${unique}a`, `${unique}b@example.com`, 'Bob')
  const byAll = await make(`${unique}`, `${unique}@example.com`, null)
  await make(`z3${unique}`, `z3${unique}@example.com`, 'Someone')
  const right = [byAll, byUsernameToo, byUsername, byEmail]
  const ids = async (query: { limit?: number; cursor?: string } = {}, q = unique) => {
    const { items, nextCursor } = await lectern.operator.listUsers({ q, ...query })
    return { ids: items.map(({ id }) => id), nextCursor }
  }
  expect(await ids()).toEqual({ ids: right, nextCursor: null })
  for (const limit of [1, 2, 3]) {
    const found: string[] = []
    let cursor: string | null = null
    do {
      const next = await ids({ limit, ...(cursor && { cursor }) })
      expect(next.ids.length).toBeLessThanOrEqual(limit)
      found.push(...next.ids)
      cursor = next.nextCursor
    } while (cursor)
    expect(found).toEqual(right)
  }
  expect((await ids({}, ` ${unique.toUpperCase()}A@EX`)).ids).toEqual([byEmail])
  for (const tail of ['', '.AA', '.____', '.OWE']) await ids({ cursor: `${byAll}${tail}` })
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
