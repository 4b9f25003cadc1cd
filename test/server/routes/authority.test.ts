import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { callsByHand } from '../../support/calls.ts'
import { admit, refusals, tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

/*
 * Authority does not outlive itself: a guest link, and the guests it let in, count only while whoever made it may still
 * make links for the room.
 */

let lectern: Lectern
let byHand: Awaited<ReturnType<typeof callsByHand>>
beforeAll(async () => {
  lectern = await startLectern()
  byHand = await callsByHand(lectern)
})

interface Stage {
  owner: Person
  /** Who made the links: the room's creator, or a room moderator. */
  maker: Person
  at: { spaceId: string; roomId: string }
}

const makeModerator = ({ owner, maker, at }: Stage) =>
  owner.grantRole({ ...at, targetUserId: maker.id, role: 'role_room_moderator' })

const prepare = async (madeBy: 'room creator' | 'room moderator'): Promise<Stage> => {
  const [owner, maker] = await Promise.all([lectern.user(), lectern.user()])
  const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
  await admit(owner, spaceId, maker, 'role_space_moderator')
  const creator = madeBy === 'room creator' ? maker : owner
  const { id: roomId } = await creator.createRooms({ spaceId, name: 'Room' })
  const at = { spaceId, roomId }
  const stage = { owner, maker, at }
  if (creator === owner) await makeModerator(stage)
  return stage
}

const makeLinks = async (maker: Client, at: Stage['at']) => {
  const link = async (role: 'user' | 'moderator', isPermanent: boolean) =>
    tokenOf(await maker.generateAccess({ ...at, role, username: `${role} ${isPermanent}`, isPermanent }))
  const guest = async (accessToken: string) =>
    lectern.withToken((await lectern.anonymous.redeemAccess({ accessToken })).guestToken)
  const permanent = await link('user', true)
  const moderators = await link('moderator', true)
  return {
    links: { unused: await link('user', false), permanent, 'for moderators': moderators },
    guests: {
      'of a used link': await guest(await link('user', false)),
      'of a permanent link': await guest(permanent),
      'who moderates': await guest(moderators),
    },
  }
}
type Made = Awaited<ReturnType<typeof makeLinks>>

const RIGHT = 'lets in'
const looksOf = async ({ links, guests }: Made, at: Stage['at']) => {
  const said = async (attempt: Promise<unknown>) =>
    attempt.then(
      () => RIGHT,
      ({ code }) => code,
    )
  const entries = async (of: Record<string, Promise<string>>) =>
    Object.fromEntries(await Promise.all(Object.entries(of).map(async ([name, look]) => [name, await look] as const)))
  const each = <T>(of: Record<string, T>, look: (one: T) => Promise<string>) =>
    entries(Object.fromEntries(Object.entries(of).map(([name, one]) => [name, look(one)])))
  return {
    links: await each(links, accessToken => said(lectern.anonymous.inspectAccess({ accessToken }))),
    guests: await each(guests, guest => said(guest.getRoom(at))),
  }
}
const all = (of: string) => ({
  links: { unused: of, permanent: of, 'for moderators': of },
  guests: { 'of a used link': of, 'of a permanent link': of, 'who moderates': of },
})
const asBefore = all(RIGHT)
const ended = {
  links: { unused: 'link_revoked', permanent: 'link_revoked', 'for moderators': 'link_revoked' },
  guests: {
    'of a used link': 'token_invalid',
    'of a permanent link': 'token_invalid',
    'who moderates': 'token_invalid',
  },
}
/** The room has a new creator, in whose name links for users go on. */
const passedOn = {
  links: { ...asBefore.links, 'for moderators': 'link_revoked' },
  guests: { ...asBefore.guests, 'who moderates': 'token_invalid' },
}

const ban = async ({ owner, maker, at }: Stage) => {
  const { participantId } = await byHand.join(at.roomId, { userId: maker.id })
  await owner.removeParticipant({ ...at, participantId })
}

const losses: {
  name: string
  of: 'room creator' | 'room moderator'
  lose: (stage: Stage) => Promise<unknown>
  left: typeof asBefore
  /** As far as it can be undone: everything counts again. */
  regain?: (stage: Stage) => Promise<unknown>
}[] = [
  {
    name: 'role revoked',
    of: 'room moderator',
    lose: ({ owner, maker, at }) => owner.revokeRole({ ...at, userId: maker.id }),
    left: ended,
    regain: makeModerator,
  },
  {
    name: 'role lowered',
    of: 'room moderator',
    lose: ({ owner, maker, at }) => owner.grantRole({ ...at, targetUserId: maker.id, role: 'role_room_user' }),
    left: ended,
    regain: makeModerator,
  },
  {
    name: 'removed from the call',
    of: 'room moderator',
    lose: ban,
    left: ended,
    regain: async ({ owner, at }) => {
      const [item] = (await owner.listBans(at)).items
      await owner.liftBan({ ...at, banId: item?.id ?? '' })
    },
  },
  {
    name: 'removed from the space',
    of: 'room moderator',
    lose: ({ owner, maker, at }) => owner.removeMember({ spaceId: at.spaceId, userId: maker.id }),
    left: ended,
    regain: makeModerator,
  },
  {
    name: 'account deleted',
    of: 'room moderator',
    lose: ({ maker }) => lectern.operator.deleteUser({ userId: maker.id }),
    left: ended,
  },
  {
    name: 'room passed on as its creator left the space',
    of: 'room creator',
    lose: ({ maker, at }) => maker.removeMember({ spaceId: at.spaceId, userId: maker.id }),
    left: passedOn,
    regain: makeModerator,
  },
  {
    name: 'room passed on as its creator’s account was deleted',
    of: 'room creator',
    lose: ({ maker }) => lectern.operator.deleteUser({ userId: maker.id }),
    left: passedOn,
  },
]

describe.each(losses)('$name', ({ of, lose, left, regain }) => {
  test('what the links and guests may still do', async () => {
    const stage = await prepare(of)
    const { owner, at } = stage
    const made = await makeLinks(stage.maker, at)
    const accessToken = made.links.unused
    if (of === 'room moderator') {
      const others = await makeLinks(owner, at)
      await lose(stage)
      expect(await looksOf(others, at)).toEqual(asBefore)
    } else await lose(stage)
    expect(await looksOf(made, at)).toEqual(left)

    if (left === ended) {
      expect(await refusal(lectern.anonymous.redeemAccess({ accessToken }))).toEqual([410, 'link_revoked'])
      expect(await refusal(made.guests['who moderates'].muteAll({ ...at, source: 'microphone' }))).toEqual([
        401,
        'token_invalid',
      ])
    }
    const { items } = await owner.listLinks(at)
    const unused = items.find(({ username, usedAt }) => username === 'user false' && usedAt === null)
    expect(unused).toMatchObject({ isUsable: true })
    if (left === passedOn) expect(unused).toMatchObject({ createdBy: owner.id, createdByName: owner.username })

    await regain?.(stage)
    if (regain) expect(await looksOf(made, at)).toEqual(asBefore)
  })
})

describe('the list of links', () => {
  test('says who made each and whether it can be used', async () => {
    const { owner, maker, at } = await prepare('room moderator')
    await maker.generateAccess({ ...at, role: 'user', username: 'Grace' })
    const shown = async () =>
      (await owner.listLinks(at)).items.map(({ createdBy, isUsable }) => ({ createdBy, isUsable }))
    expect(await shown()).toEqual([{ createdBy: maker.id, isUsable: true }])
    await owner.revokeRole({ ...at, userId: maker.id })
    expect(await shown()).toEqual([{ createdBy: maker.id, isUsable: false }])
    await lectern.operator.deleteUser({ userId: maker.id })
    expect(await shown()).toEqual([{ createdBy: null, isUsable: false }])
  })

  test('calls nothing usable that is used up, expired or revoked', async () => {
    const { owner, at } = await prepare('room moderator')
    const links = [{}, { isPermanent: true }, { ttl: 1 }, {}]
    const urls: { url: string }[] = []
    for (const link of links) urls.push(await owner.generateAccess({ ...at, role: 'user', username: 'Grace', ...link }))
    for (const url of urls.slice(0, 2)) await lectern.anonymous.redeemAccess({ accessToken: tokenOf(url) })
    const { items } = await owner.listLinks(at)
    await owner.revokeLink({ ...at, linkId: items[0]?.id ?? '' })
    lectern.advance(1001)
    const usable = (await owner.listLinks(at)).items.map(({ isUsable }) => isUsable)
    expect(usable.reverse()).toEqual([false, true, false, false])
  })
})

describe('a role', () => {
  test('is read with the links and guests that would end with it', async () => {
    const { owner, maker, at } = await prepare('room moderator')
    await makeLinks(maker, at)
    await makeLinks(owner, at)
    const role = { userId: maker.id, username: maker.username, role: 'role_room_moderator' }
    expect(await owner.getRole({ ...at, userId: maker.id })).toMatchObject({ ...role, linkCount: 3, guestCount: 3 })
    await maker.revokeLink({ ...at, linkId: (await maker.listLinks(at)).items.at(-1)?.id ?? '' })
    expect((await owner.getRole({ ...at, userId: maker.id })).linkCount).toBe(2)
    expect(await refusal(owner.getRole({ ...at, userId: owner.id }))).toEqual([404, 'not_found'])
    expect(await refusal(owner.getRole({ ...at, userId: 'x' }))).toEqual([404, 'not_found'])
  })
})

describe('an invite for moderators', () => {
  test('counts while whoever made it owns the space, and again when they do', async () => {
    const [owner, heir, guest] = await Promise.all([lectern.user(), lectern.user(), lectern.user()])
    const { id: spaceId } = await owner.createSpaces({ name: 'Space' })
    await admit(owner, spaceId, heir)
    const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_moderator' })
    const { id: forUsers } = await owner.createInvite({ spaceId, role: 'role_space_user' })
    await owner.setSpaceOwner({ spaceId, userId: heir.id })
    expect(await refusal(guest.activateInvite({ spaceId, inviteId }))).toEqual([410, 'invite_revoked'])
    // As a space moderator they may still make this one.
    await guest.activateInvite({ spaceId, inviteId: forUsers })
    await heir.setSpaceOwner({ spaceId, userId: owner.id })
    expect(await guest.activateInvite({ spaceId, inviteId })).toEqual({ spaceId, role: 'role_space_moderator' })
  })
})

describe('a moderator who was removed', () => {
  test('neither grants nor takes roles, nor changes the room', async () => {
    const stage = await prepare('room moderator')
    const { maker, at } = stage
    await ban(stage)
    const role = { ...at, targetUserId: maker.id, role: 'role_room_moderator' } as const
    const refused = await refusals({
      grantRole: maker.grantRole(role),
      revokeRole: maker.revokeRole({ ...at, userId: maker.id }),
      listRoles: maker.listRoles(at),
      updateRoom: maker.updateRoom({ ...at, name: 'Mine' }),
      generateAccess: maker.generateAccess({ ...at, role: 'user' }),
    })
    for (const [what, ...answer] of refused) expect([what, ...answer]).toEqual([what, 403, 'removed'])
    expect((await stage.owner.getRoom(at)).name).toBe('Room')
  })
})
