import Type from 'typebox'
import { closed, Empty, Id, Line, Page, PageQuery, Time } from './common.ts'
import { operation } from './operation.ts'

const Client = Type.Object(
  { clientId: Id('API client'), name: Type.String(), createdAt: Time('When it was created') },
  { title: 'ApiClient' },
)

export const clients = {
  createClient: operation({
    method: 'POST',
    path: '/v1/clients',
    tag: 'API clients',
    summary: 'Create an API client',
    description:
      'An API client acts on your behalf with a client token: it can read, create invites, and grant and revoke room ' +
      'roles. The secret is returned only once.',
    tokens: ['user'],
    scope: null,
    idempotent: true,
    body: Type.Object(
      { name: Line(200, { description: 'What the client is for', examples: ['School backend'] }) },
      closed,
    ),
    answer: Type.Object({ clientId: Id('API client'), clientSecret: Type.String() }, { title: 'ApiClientWithSecret' }),
    audit: ['client.created'],
  }),
  listClients: operation({
    method: 'GET',
    path: '/v1/clients',
    tag: 'API clients',
    summary: 'List your API clients',
    tokens: ['user', 'client'],
    scope: null,
    query: PageQuery,
    answer: Page(Client),
  }),
  deleteClient: operation({
    method: 'DELETE',
    path: '/v1/clients/:clientId',
    tag: 'API clients',
    summary: 'Delete an API client',
    description: 'Its tokens stop working immediately.',
    tokens: ['user'],
    scope: null,
    answer: Empty,
    audit: ['client.deleted'],
  }),
}
