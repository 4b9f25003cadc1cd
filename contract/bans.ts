import Type from 'typebox'
import { Empty, Id, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'

const Ban = Type.Object(
  {
    id: Id('Ban'),
    name: Type.String({ description: 'Name of the removed person at that time' }),
    createdAt: Time('When the person was removed'),
  },
  { title: 'Ban' },
)

const path = '/v1/spaces/:spaceId/rooms/:roomId/bans'

export const bans = {
  listBans: operation({
    method: 'GET',
    path,
    tag: 'Calls',
    summary: 'List the bans of a room',
    description: 'People removed from the room by moderators. Newest first. Requires a moderator.',
    tokens: ['user', 'guest'],
    scope: 'calls:read',
    query: PageQuery,
    answer: Page(Ban),
  }),
  liftBan: operation({
    method: 'DELETE',
    path: `${path}/:banId`,
    tag: 'Calls',
    summary: 'Lift a ban',
    description: 'The person can join again with the same permissions as before. Requires a moderator.',
    tokens: ['user', 'guest'],
    scope: 'calls:write',
    answer: Empty,
    audit: ['ban.lifted'],
  }),
}
