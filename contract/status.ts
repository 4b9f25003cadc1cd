import Type from 'typebox'
import { Nullable, Time } from './common.ts'
import { operation } from './operation.ts'
import { MediaStatus } from './service.ts'

const Count = (description: string) => Type.Integer({ description, examples: [0] })

const Status = Type.Object(
  {
    version: Type.String({ description: 'Version of the node that answers', examples: ['0.1.0'] }),
    startedAt: Time('When that node was started'),
    nodes: Count('Nodes that serve the database'),
    database: Type.Object({
      kind: Type.Unsafe<'sqlite' | 'postgres'>(Type.String({ enum: ['sqlite', 'postgres'] })),
    }),
    media: Type.Object({
      status: MediaStatus,
      percent: Nullable(Type.Integer({ description: 'How much of the engine is built, while it is `preparing`' })),
    }),
    calls: Type.Object({ live: Count('Calls going on'), participants: Count('People in them') }),
    deliveries: Type.Object({
      pending: Count('Webhook deliveries to be made, or made again'),
      oldestDueAt: Nullable(Time('When the oldest of them was, or is, due')),
      failingWebhooks: Count('Webhooks whose last deliveries failed'),
      blockedWebhooks: Count('Webhooks that were turned off for that'),
    }),
    records: Type.Object({
      count: Count('Recordings that are kept'),
      size: Type.Integer({ description: 'Bytes they take', examples: [0] }),
    }),
    disk: Nullable(
      Type.Object(
        { freeBytes: Type.Integer(), totalBytes: Type.Integer() },
        { description: 'Where the data folder is. null: not known' },
      ),
    ),
  },
  { title: 'Status' },
)

export const status = {
  getStatus: operation({
    method: 'GET',
    path: '/v1/status',
    tag: 'Operator',
    summary: 'Retrieve the status of the service',
    tokens: ['user', 'client'],
    scope: null,
    answer: Status,
  }),
}
