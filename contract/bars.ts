import Type from 'typebox'
import { Empty, Id, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'

const Bar = Type.Object(
  {
    id: Id('Bar'),
    name: Type.String({ description: 'Of who was removed, as it was then' }),
    createdAt: Time('When'),
  },
  { title: 'Bar' },
)

const path = '/v1/spaces/:spaceId/rooms/:roomId/bars'

export const bars = {
  listBars: operation({
    method: 'GET',
    path,
    tag: 'Calls',
    summary: 'List who has been removed from a room',
    description: 'By moderators. Newest first.',
    tokens: ['user', 'guest'],
    query: PageQuery,
    answer: Page(Bar),
  }),
  liftBar: operation({
    method: 'DELETE',
    path: `${path}/:barId`,
    tag: 'Calls',
    summary: 'Let someone removed come back',
    description: 'By moderators. What they may do in the room is what it was.',
    tokens: ['user', 'guest'],
    answer: Empty,
  }),
}
