import Type from 'typebox'
import { Empty, Id, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'

const Ban = Type.Object(
  {
    id: Id('Ban'),
    name: Type.String({ description: 'Of who was removed, as it was then' }),
    createdAt: Time('When'),
  },
  { title: 'Ban' },
)

const path = '/v1/spaces/:spaceId/rooms/:roomId/bans'

export const bans = {
  listBans: operation({
    method: 'GET',
    path,
    tag: 'Calls',
    summary: 'List who has been removed from a room',
    description: 'By moderators. Newest first.',
    tokens: ['user', 'guest'],
    query: PageQuery,
    answer: Page(Ban),
  }),
  liftBan: operation({
    method: 'DELETE',
    path: `${path}/:banId`,
    tag: 'Calls',
    summary: 'Let someone removed come back',
    description: 'By moderators. What they may do in the room is what it was.',
    tokens: ['user', 'guest'],
    answer: Empty,
  }),
}
