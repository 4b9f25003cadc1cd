import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../client/client.ts'
import { newClientToken, refusals } from '../../support/cast.ts'
import { type Lectern, type Person, refusal, startLectern } from '../../support/lectern.ts'

let lectern: Lectern
let owner: Person
let other: Person
let client: Client
let clientToken: string
let spaceId: string
let roomId: string

beforeAll(async () => {
  lectern = await startLectern()
  ;[owner, other] = await Promise.all([lectern.user(), lectern.user()])
  spaceId = (await owner.createSpaces({ name: 'Space' })).id
  roomId = (await owner.createRooms({ spaceId, name: 'Room' })).id
  clientToken = (await newClientToken(lectern, owner)).token
  client = lectern.withToken(clientToken)
})

describe('an API client', () => {
  test('is made with a secret that is shown once', async () => {
    const made = await other.createClient({ name: ' School backend ' })
    expect(Object.keys(made).sort()).toEqual(['clientId', 'clientSecret'])
    const { items } = await other.listClients()
    expect(items).toEqual([{ clientId: made.clientId, name: 'School backend', createdAt: expect.stringMatching(/Z$/) }])
  })

  test('belongs to its user', async () => {
    const { clientId } = await owner.createClient({ name: 'Mine' })
    expect((await other.listClients()).items.map(item => item.clientId)).not.toContain(clientId)
    expect(await refusal(other.deleteClient({ clientId }))).toEqual([404, 'not_found'])
    expect(await owner.deleteClient({ clientId })).toEqual({})
    expect(await refusal(owner.deleteClient({ clientId }))).toEqual([404, 'not_found'])
  })

  test('makes no clients and changes no account', async () => {
    expect(await refusal(client.createClient({ name: 'More' }))).toEqual([403, 'user_token_required'])
    expect(await refusal(client.updateMe({ displayName: 'x' }))).toEqual([403, 'user_token_required'])
  })
})

describe('a client token', () => {
  test('is refused where a user token is needed, though its user may', async () => {
    const { id: inviteId } = await other.createInvite({
      spaceId: (await other.createSpaces({ name: 'Other' })).id,
      role: 'role_space_user',
    })
    const refused = await refusals({
      createUser: client.createUser({ email: 'x@example.com', username: 'x', password: 'a good password' }),
      createSpaces: client.createSpaces({ name: 'Space' }),
      createRooms: client.createRooms({ spaceId, name: 'Room' }),
      activateInvite: client.activateInvite({ spaceId, inviteId }),
      generateAccess: client.generateAccess({ spaceId, roomId, role: 'user' }),
      join: client.joinRoom({ spaceId, roomId }),
      updateSpace: client.updateSpace({ spaceId, name: 'Space' }),
      deleteSpace: client.deleteSpace({ spaceId }),
      setSpaceOwner: client.setSpaceOwner({ spaceId, userId: owner.id }),
      updateRoom: client.updateRoom({ spaceId, roomId, name: 'Room' }),
      deleteRoom: client.deleteRoom({ spaceId, roomId }),
    })
    for (const [name, ...answer] of refused) expect([name, ...answer]).toEqual([name, 403, 'user_token_required'])
    expect((await owner.listRooms({ spaceId })).items).toHaveLength(1)
  })

  test('is told so before the body is looked at', async () => {
    const { status, body } = await lectern.request('POST', '/v1/spaces', { token: clientToken, body: { nonsense: 1 } })
    expect([status, body.code]).toEqual([403, 'user_token_required'])
  })

  test('reads as its user', async () => {
    expect((await client.getMe()).id).toBe(owner.id)
    expect((await client.listSpaces()).items.map(({ id }) => id)).toEqual([spaceId])
    expect((await client.getSpace({ spaceId })).role).toBe('role_space_owner')
    expect((await client.listRooms({ spaceId })).items.map(({ id }) => id)).toEqual([roomId])
    expect((await client.getRoom({ spaceId, roomId })).id).toBe(roomId)
    expect((await client.listMembers({ spaceId })).items).toHaveLength(1)
    expect((await client.listRoles({ spaceId, roomId })).items).toEqual([])
    expect((await client.listLinks({ spaceId, roomId })).items).toEqual([])
  })

  test('sees no more than its user', async () => {
    const { id } = await other.createSpaces({ name: 'Private' })
    expect(await refusal(client.getSpace({ spaceId: id }))).toEqual([404, 'not_found'])
    expect(await refusal(client.createInvite({ spaceId: id, role: 'role_space_user' }))).toEqual([404, 'not_found'])
    expect(await refusal(client.createRooms({ spaceId: id, name: 'Room' }))).toEqual([404, 'not_found'])
  })

  test('creates invites, grants and revokes roles', async () => {
    const { id: inviteId } = await client.createInvite({ spaceId, role: 'role_space_moderator' })
    expect((await client.listInvites({ spaceId })).items.find(({ id }) => id === inviteId)?.createdBy).toBe(owner.id)
    expect(await other.activateInvite({ spaceId, inviteId })).toEqual({ spaceId, role: 'role_space_moderator' })
    const grant = { targetUserId: other.id, role: 'role_room_moderator' } as const
    expect(await client.grantRole({ spaceId, roomId, ...grant })).toEqual(grant)
    expect(await client.revokeRole({ spaceId, roomId, userId: other.id })).toEqual({})
    expect((await owner.listRoles({ spaceId, roomId })).items).toEqual([])
  })
})
