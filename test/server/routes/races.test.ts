import { beforeAll, describe, expect, test } from 'vitest'
import { LecternError } from '../../../client/error.ts'
import { unlessRefused } from '../../../server/http/problem.ts'
import { accountProblems } from '../../../server/identity/accounts.ts'
import { createPasswords } from '../../../server/identity/passwords.ts'
import { openDb, transact } from '../../../server/store/db.ts'
import { createUser } from '../../../server/store/users.ts'
import { newToken, tokenOf } from '../../support/cast.ts'
import { type Lectern, type Person, startLectern } from '../../support/lectern.ts'
import { isLong } from '../../support/long.ts'

/*
 * Requests that arrive at the same moment, over real connections. Whatever the order they are served in, exactly one
 * wins what only one can have, nothing is left half done, and nobody gets a 5xx.
 */

let lectern: Lectern
let owner: Person
/** Made once: each account costs two password hashes. */
let crowd: Person[]

beforeAll(async () => {
  lectern = await startLectern()
  ;[owner, ...crowd] = (await Promise.all(times(51, () => lectern.user()))) as [Person, ...Person[]]
}, 60_000)

/** Rounds of a race. Each begins it otherwise. */
const some = (rounds: number) => (isLong ? rounds : rounds / 2)

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

interface Outcome {
  status: number
  code: string
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any operation
  answer: any
}

/** All at once; each with its status and code. */
const race = (promises: Promise<unknown>[]): Promise<Outcome[]> =>
  Promise.all(
    promises.map(promise =>
      promise.then(
        answer => ({ status: 200, code: '', answer }),
        (error: unknown) => {
          if (error instanceof LecternError) return { status: error.status, code: error.code, answer: null }
          throw error
        },
      ),
    ),
  )

const codes = (outcomes: Outcome[]) => [...new Set(outcomes.map(({ status, code }) => `${status} ${code}`.trim()))]
const won = (outcomes: Outcome[]) => outcomes.filter(({ status }) => status === 200)
/** No outcome but these. */
const expectOnly = (outcomes: Outcome[], ...allowed: string[]) =>
  expect(codes(outcomes).filter(code => !allowed.includes(code))).toEqual([])

const newSpace = async (by: Person = owner) => (await by.createSpaces({ name: 'Space' })).id
const person = (index: number) => crowd[index] as Person

const join = async (spaceId: string, member: Person, role: 'role_space_user' | 'role_space_moderator') => {
  const invite = await owner.createInvite({ spaceId, role })
  await member.activateInvite({ spaceId, inviteId: invite.id })
}

describe('what only one can have', () => {
  test('an invite admits exactly one of fifty', async () => {
    for (let round = 0; round < 3; round++) {
      const spaceId = await newSpace()
      const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
      const outcomes = await race(crowd.map(user => user.activateInvite({ spaceId, inviteId })))
      expect(won(outcomes)).toHaveLength(1)
      expectOnly(outcomes, '200', '410 invite_used')
      const winner = crowd[outcomes.findIndex(({ status }) => status === 200)]
      const { items } = await owner.listMembers({ spaceId })
      expect(items.map(({ userId }) => userId)).toEqual([owner.id, winner?.id])
      expect((await owner.listInvites({ spaceId })).items).toMatchObject([{ usedBy: winner?.id }])
    }
  })

  test('an e-mail address goes to one account, however it is written', async () => {
    const write = (index: number) =>
      [...'racer@example.com'].map((letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter)).join('')
    const outcomes = await race(
      times(20, index => owner.createUser({ email: write(index), username: `racer ${index}`, password: 'password' })),
    )
    expect(won(outcomes)).toHaveLength(1)
    expectOnly(outcomes, '200', '409 email_taken')
  })

  test('a username goes to one account', async () => {
    const outcomes = await race(
      times(10, index =>
        owner.createUser({
          email: `same${index}@example.com`,
          username: index % 2 ? 'SAME' : 'same',
          password: 'password',
        }),
      ),
    )
    expect(won(outcomes)).toHaveLength(1)
    expectOnly(outcomes, '200', '409 username_taken')
  })

  test('accounts that change to one e-mail address at once', async () => {
    const outcomes = await race(
      times(20, index => person(index).updateMe({ email: index % 2 ? 'Wanted@example.com' : 'wanted@example.com' })),
    )
    expect(won(outcomes)).toHaveLength(1)
    expectOnly(outcomes, '200', '409 email_taken')
  })

  test('accounts that change to one username at once', async () => {
    const outcomes = await race(times(20, index => person(index).updateMe({ username: 'wanted' })))
    expect(won(outcomes)).toHaveLength(1)
    expectOnly(outcomes, '200', '409 username_taken')
  })

  test('a one-time link lets exactly one of fifty in', async () => {
    const spaceId = await newSpace()
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    for (let round = 0; round < 3; round++) {
      const accessToken = tokenOf(await owner.generateAccess({ spaceId, roomId, role: 'user', username: 'Guest' }))
      const outcomes = await race(times(50, () => lectern.anonymous.redeemAccess({ accessToken })))
      expect(won(outcomes)).toHaveLength(1)
      expectOnly(outcomes, '200', '410 link_used')
    }
  })

  test('a permanent link lets all fifty in, each as a guest of their own', async () => {
    const spaceId = await newSpace()
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const accessToken = tokenOf(await owner.generateAccess({ spaceId, roomId, role: 'user', isPermanent: true }))
    const outcomes = await race(
      times(50, index => lectern.anonymous.redeemAccess({ accessToken, participantName: `Guest ${index}` })),
    )
    expectOnly(outcomes, '200')
    expect(new Set(outcomes.map(({ answer }) => answer.guestId)).size).toBe(50)
  })

  test('a permanent link that is revoked while it is used is never used up', async () => {
    const spaceId = await newSpace()
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    for (let round = 0; round < some(10); round++) {
      const link = { spaceId, roomId, role: 'user', username: 'Guest', isPermanent: true } as const
      const accessToken = tokenOf(await owner.generateAccess(link))
      const [{ id: linkId } = { id: '' }] = (await owner.listLinks({ spaceId, roomId, limit: 1 })).items
      const work = times(10, () => () => lectern.anonymous.redeemAccess({ accessToken })) as (() => Promise<unknown>)[]
      work.splice(round, 0, () => owner.revokeLink({ spaceId, roomId, linkId }))
      expectOnly(await race(work.map(start => start())), '200', '410 link_revoked')
    }
  })

  test('an invite that is revoked while it is activated ends as one or the other', async () => {
    const spaceId = await newSpace()
    const [guest] = crowd
    for (let round = 0; round < some(10); round++) {
      const { id: inviteId } = await owner.createInvite({ spaceId, role: 'role_space_user' })
      const [activated, revoked] = (await race([
        guest?.activateInvite({ spaceId, inviteId }) as Promise<unknown>,
        owner.revokeInvite({ spaceId, inviteId }),
      ])) as [Outcome, Outcome]
      expectOnly([activated], '200', '410 invite_revoked')
      expectOnly([revoked], '200', '410 invite_used')
      expect([activated, revoked].filter(({ status }) => status === 200)).toHaveLength(1)
    }
  })
})

describe('twins with one Idempotency-Key', () => {
  test('create one space', async () => {
    const twins = await race(times(20, () => owner.createSpaces({ name: 'Twins' }, { idempotencyKey: 'twins' })))
    expectOnly(twins, '200', '409 idempotency_in_progress')
    const ids = new Set(won(twins).map(({ answer }) => answer.id))
    expect(ids.size).toBe(1)
    const { items } = await owner.listSpaces({ limit: 200 })
    expect(items.filter(({ name }) => name === 'Twins')).toHaveLength(1)
    expect(await owner.createSpaces({ name: 'Twins' }, { idempotencyKey: 'twins' })).toEqual({ id: [...ids][0] })
  })

  test('redeem a one-time link once, all with the same guest', async () => {
    const spaceId = await newSpace()
    const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
    const accessToken = tokenOf(await owner.generateAccess({ spaceId, roomId, role: 'user', username: 'Guest' }))
    const twins = await race(
      times(20, () => lectern.anonymous.redeemAccess({ accessToken }, { idempotencyKey: 'page' })),
    )
    expectOnly(twins, '200', '409 idempotency_in_progress')
    expect(new Set(won(twins).map(({ answer }) => answer.guestToken)).size).toBe(1)
  })

  test('and different bodies: one wins, the others are told', async () => {
    const twins = await race(
      times(20, index => owner.createSpaces({ name: `Mixed ${index}` }, { idempotencyKey: 'mixed' })),
    )
    expectOnly(twins, '200', '409 idempotency_in_progress', '422 idempotency_mismatch')
    expect(won(twins)).toHaveLength(1)
  })
})

describe('removing a member who is just making things', () => {
  test('leaves no room of theirs, no open invite and no link in their name', async () => {
    const lane = async (member: Person, rounds: number) => {
      const spaceId = await newSpace()
      const { id: ownersRoom, alias: ownersAlias } = await owner.createRooms({ spaceId, name: 'The owner’s' })
      for (let round = 0; round < rounds; round++) {
        await join(spaceId, member, 'role_space_moderator')
        const { id: membersRoom } = await member.createRooms({ spaceId, name: 'The member’s' })
        await owner.grantRole({
          spaceId,
          roomId: ownersRoom,
          targetUserId: member.id,
          role: 'role_room_moderator',
        })
        const work = times(12, index => () => {
          if (index % 4 === 0) return member.createRooms({ spaceId, name: 'Late' })
          if (index % 4 === 1) return member.createInvite({ spaceId, role: 'role_space_user' })
          const roomId = index % 4 === 2 ? membersRoom : ownersRoom
          return member.generateAccess({ spaceId, roomId, role: 'user', username: 'Guest', isPermanent: index > 6 })
        })
        // Each round the removal comes at another place in the crowd.
        work.splice(round % 13, 0, () => owner.removeMember({ spaceId, userId: member.id }) as never)
        const outcomes = await race(work.map(start => start()))
        expectOnly(outcomes, '200', '403 not_allowed', '404 not_found')
        expect(outcomes[round % 13]?.status).toBe(200)

        const members = (await owner.listMembers({ spaceId })).items.map(({ userId }) => userId)
        expect(members).not.toContain(member.id)
        const rooms = (await owner.listRooms({ spaceId, limit: 200 })).items
        expect(rooms.filter(({ creatorId }) => !members.includes(creatorId ?? ''))).toEqual([])
        const invites = (await owner.listInvites({ spaceId, limit: 200 })).items
        expect(
          invites.filter(invite => invite.createdBy === member.id && invite.revokedAt === null && !invite.usedAt),
        ).toEqual([])
        // Only the member made links here. Those of rooms that are the owner's now passed on, and the others ended.
        for (const { id: roomId } of rooms) {
          const links = (await owner.listLinks({ spaceId, roomId, limit: 200 })).items
          expect(links.filter(({ isUsable, createdBy }) => isUsable && createdBy !== owner.id)).toEqual([])
        }
        const urls = outcomes.flatMap(({ answer }) => (answer?.url ? [answer.url] : []))
        const redeem = (links: string[]) =>
          race(links.map(url => lectern.anonymous.redeemAccess({ accessToken: tokenOf({ url }) })))
        expectOnly(await redeem(urls.filter(url => url.includes(ownersAlias))), '410 link_revoked')
        expectOnly(await redeem(urls.filter(url => !url.includes(ownersAlias))), '200')
      }
    }
    await Promise.all(times(4, index => lane(person(index), some(6))))
  })

  test('goes well with those who come in at the same time on invites of theirs', async () => {
    const lane = async (member: Person, guests: Person[]) => {
      for (let round = 0; round < some(6); round++) {
        const spaceId = await newSpace()
        await join(spaceId, member, 'role_space_moderator')
        const invites = await Promise.all(guests.map(() => member.createInvite({ spaceId, role: 'role_space_user' })))
        const work = guests.map((guest, index) =>
          guest.activateInvite({ spaceId, inviteId: (invites[index] as { id: string }).id }),
        )
        const removal = owner.removeMember({ spaceId, userId: member.id })
        const outcomes = await race([...work, removal])
        expectOnly(outcomes, '200', '410 invite_revoked')
        const members = (await owner.listMembers({ spaceId })).items.map(({ userId }) => userId)
        const admitted = guests.filter((_, index) => outcomes[index]?.status === 200).map(({ id }) => id)
        expect(new Set(members)).toEqual(new Set([owner.id, ...admitted]))
      }
    }
    await Promise.all(times(4, index => lane(person(index), crowd.slice(4 + index * 5, 9 + index * 5))))
  })
})

describe('deleting what others are using', () => {
  test('a room, while it is changed, shared and opened', async () => {
    const spaceId = await newSpace()
    for (let round = 0; round < some(10); round++) {
      const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
      const accessToken = tokenOf(await owner.generateAccess({ spaceId, roomId, role: 'user', username: 'Guest' }))
      const work = [
        () => owner.updateRoom({ spaceId, roomId, name: 'Changed' }),
        () => owner.generateAccess({ spaceId, roomId, role: 'user' }),
        () => owner.grantRole({ spaceId, roomId, targetUserId: person(round).id, role: 'role_room_user' }),
        () => lectern.anonymous.redeemAccess({ accessToken }),
        () => owner.listLinks({ spaceId, roomId }),
      ] as (() => Promise<unknown>)[]
      work.splice(round % 6, 0, () => owner.deleteRoom({ spaceId, roomId }))
      expectOnly(await race(work.map(start => start())), '200', '404 not_found')
    }
    expect((await owner.listRooms({ spaceId })).items).toEqual([])
  })

  test('a space, while it is entered, changed and filled', async () => {
    for (let round = 0; round < some(10); round++) {
      const spaceId = await newSpace()
      const invites = await Promise.all(times(5, () => owner.createInvite({ spaceId, role: 'role_space_user' })))
      const work = [
        ...invites.map(
          ({ id: inviteId }, index) =>
            () =>
              person(index).activateInvite({ spaceId, inviteId }),
        ),
        () => owner.createRooms({ spaceId, name: 'Room' }),
        () => owner.updateSpace({ spaceId, name: 'Changed' }),
        () => owner.createInvite({ spaceId, role: 'role_space_user' }),
        () => lectern.operator.setSpacePlan({ spaceId, plan: 'business' }),
      ] as (() => Promise<unknown>)[]
      work.splice(round, 0, () => owner.deleteSpace({ spaceId }))
      expectOnly(await race(work.map(start => start())), '200', '404 not_found')
    }
  })

  test('a user, while they are given a role, a space or a membership: every space keeps an owner', async () => {
    const leaving = crowd.splice(-8)
    for (const [round, user] of leaving.entries()) {
      const spaceId = await newSpace()
      await join(spaceId, user, 'role_space_user')
      const { id: roomId } = await owner.createRooms({ spaceId, name: 'Room' })
      const other = await newSpace()
      const { id: inviteId } = await owner.createInvite({ spaceId: other, role: 'role_space_user' })
      const work = [
        () => owner.grantRole({ spaceId, roomId, targetUserId: user.id, role: 'role_room_moderator' }),
        () => owner.setSpaceOwner({ spaceId, userId: user.id }),
        () => user.activateInvite({ spaceId: other, inviteId }),
        () => user.createSpaces({ name: 'Mine' }),
      ] as (() => Promise<unknown>)[]
      work.splice(round % 5, 0, () => lectern.operator.deleteUser({ userId: user.id }))
      expectOnly(
        await race(work.map(start => start())),
        '200',
        '401 token_invalid',
        // The client renews its token by itself, and cannot.
        '400 invalid_grant',
        '403 not_allowed',
        '404 not_found',
        '409 owns_spaces',
        '409 not_a_member',
      )
      const { items } = await lectern.operator.listAllSpaces({ limit: 200 })
      expect(items.map(({ id }) => id)).toContain(spaceId)
    }
  })

  test('operators who remove each other and themselves: one stays', async () => {
    const own = await startLectern()
    const { operator } = own
    const db = await openDb(own.config)
    const passwordHash = await createPasswords().hash('other password')
    const other = { email: 'other@example.com', username: 'other' }
    const { id: otherId } = await transact(db, async trx =>
      unlessRefused(await createUser(trx, other, passwordHash, Date.now(), true), accountProblems),
    )
    await db.destroy()
    const token = (await own.withToken('').signIn('other', 'other password')).access_token
    const remove = (userId: string, by: string) => own.request('DELETE', `/v1/users/${userId}`, { token: by })
    const outcomes = await Promise.all([
      remove(operator.id, token),
      remove(operator.id, operator.token),
      remove(otherId, operator.token),
      remove(otherId, token),
    ])
    const removed = outcomes.filter(({ status }) => status === 200)
    expect(removed).toHaveLength(1)
    expect(outcomes.filter(({ status }) => status >= 500)).toEqual([])
  })

  test('the API clients of an account that is taken back, while it makes more', async () => {
    const user = person(24)
    for (let round = 0; round < 3; round++) {
      const thief = lectern.withToken(await newToken(lectern, user))
      const makeUntilRefused = async () => {
        for (;;) await thief.createClient({ name: 'Client' })
      }
      const outcomes = await race([
        lectern.operator.resetPassword({ userId: user.id, password: user.password, endClients: true }),
        ...times(4, makeUntilRefused),
      ])
      expectOnly(outcomes, '200', '401 token_invalid')
      expect((await lectern.withToken(await newToken(lectern, user)).listClients()).items).toEqual([])
    }
  })

  test('an API client, while it gets tokens', async () => {
    for (let round = 0; round < 5; round++) {
      const { clientId, clientSecret } = await owner.createClient({ name: 'Client' })
      const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret } as const
      const work = times(6, () => () => lectern.anonymous.createToken(grant)) as (() => Promise<unknown>)[]
      work.splice(round + 1, 0, () => owner.deleteClient({ clientId }))
      const outcomes = await race(work.map(start => start()))
      expectOnly(outcomes, '200', '401 invalid_client')
      for (const { answer } of won(outcomes))
        if (answer.access_token)
          expect((await lectern.request('GET', '/v1/users/me', { token: answer.access_token })).status).toBe(401)
    }
  })
})

describe('sessions', () => {
  const refresh = (refresh_token: string) =>
    lectern.request('POST', '/v1/auth/token', { body: { grant_type: 'refresh_token', refresh_token } })
  const signIn = async (user: Person) => {
    const { body } = await lectern.request('POST', '/v1/auth/token', {
      body: { grant_type: 'password', username: user.username, password: user.password },
    })
    return body as { access_token: string; refresh_token: string }
  }
  const standing = async (token: string) => (await lectern.request('GET', '/v1/users/me', { token })).status

  test('racing refreshes are twins: all get the same successor, and a later reuse ends the session', async () => {
    const user = person(20)
    const first = await signIn(user)
    const twins = await Promise.all(times(20, () => refresh(first.refresh_token)))
    expect(twins.map(({ status }) => status)).toEqual(times(20, () => 200))
    expect(new Set(twins.map(({ body }) => body.refresh_token)).size).toBe(1)
    for (const { body } of twins) expect(await standing(body.access_token)).toBe(200)

    lectern.advance(11_000)
    const thieves = await Promise.all(times(10, () => refresh(first.refresh_token)))
    expect(new Set(thieves.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
      new Set(['400 invalid_grant']),
    )
    for (const { body } of twins) expect(await standing(body.access_token)).toBe(401)
    expect((await refresh(twins[0]?.body.refresh_token)).status).toBe(400)
  })

  test('a refresh racing with its revocation: nothing works afterwards', async () => {
    const user = person(21)
    for (let round = 0; round < some(6); round++) {
      const { access_token, refresh_token } = await signIn(user)
      const revoke = () => lectern.request('POST', '/v1/auth/revoke', { body: { token: refresh_token } })
      const work = times(6, () => () => refresh(refresh_token))
      work.splice(round, 0, revoke)
      const answers = await Promise.all(work.map(start => start()))
      expect(answers.filter(({ status }) => status !== 200 && status !== 400)).toEqual([])
      expect(answers[round]?.status).toBe(200)
      for (const { body } of answers) if (body.access_token) expect(await standing(body.access_token)).toBe(401)
      expect(await standing(access_token)).toBe(401)
    }
  })

  test('sessions that end each other: at most one survives', async () => {
    const user = person(22)
    for (let round = 0; round < 3; round++) {
      const pair = [(await signIn(user)).access_token, (await signIn(user)).access_token]
      const ended = await Promise.all(pair.map(token => lectern.request('DELETE', '/v1/users/me/sessions', { token })))
      expect(ended.filter(({ status }) => status !== 200 && status !== 401)).toEqual([])
      const left = await Promise.all(pair.map(standing))
      expect(left.filter(status => status === 200)).toHaveLength(1)
    }
  })

  test('a password change racing with sign-ins leaves no session of the old password', async () => {
    const user = person(23)
    const token = (await signIn(user)).access_token
    const [changed, ...others] = await Promise.all([
      lectern.request('PUT', '/v1/users/me/password', {
        token,
        body: { currentPassword: user.password, newPassword: 'a new password' },
      }),
      ...times(8, () => signIn(user)),
    ])
    expect(changed?.status).toBe(200)
    for (const { access_token } of others) if (access_token) expect(await standing(access_token)).toBe(401)
    expect(await standing(token)).toBe(200)
  })
})
