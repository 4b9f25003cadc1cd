import Type from 'typebox'
import { closed, Empty, Id, Line, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'

const Client = Type.Object(
  { clientId: Id('API client'), name: Type.String(), createdAt: Time('When it was made') },
  { title: 'API client' },
)

export const clients = {
  createClient: operation({
    method: 'POST',
    path: '/v1/clients',
    tag: 'API clients',
    summary: 'Create an API client',
    description:
      'A client acts for you with a client token: it may read, create invites, and grant and revoke room roles. ' +
      'The secret is shown this once.',
    tokens: ['user'],
    idempotent: true,
    body: Type.Object({ name: Line(200, { description: 'What it is for', examples: ['School backend'] }) }, closed),
    answer: Type.Object({ clientId: Id('API client'), clientSecret: Type.String() }),
  }),
  listClients: operation({
    method: 'GET',
    path: '/v1/clients',
    tag: 'API clients',
    summary: 'List your API clients',
    tokens: ['user', 'client'],
    query: PageQuery,
    answer: Page(Client),
  }),
  deleteClient: operation({
    method: 'DELETE',
    path: '/v1/clients/:clientId',
    tag: 'API clients',
    summary: 'Delete an API client',
    description: 'Its tokens stop at once.',
    tokens: ['user'],
    answer: Empty,
  }),
}
