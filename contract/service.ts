import Type, { type Static } from 'typebox'
import { Nullable, OpenEnum } from './common.ts'

export const MediaStatus = OpenEnum(['off', 'downloading', 'preparing', 'starting', 'ready', 'unavailable', 'failed'], {
  description:
    'off: turned off. downloading: Go is being downloaded to build the engine. preparing: the engine is being built. ' +
    'starting: it is starting. ready: calls can be joined. unavailable: no node of the external engine responds. ' +
    'failed: it could not be started; see the log',
})
export type MediaStatus = Static<typeof MediaStatus>

/** The answer of `/readyz`, with status 200 or 503. */
export const Readiness = Type.Object(
  {
    status: OpenEnum(['ready', 'stopping', 'not_ready'], { description: 'Of this node' }),
    database: OpenEnum(['ready', 'unavailable'], { description: 'Of the database' }),
    media: MediaStatus,
    mediaPercent: Nullable(Type.Integer({ description: 'How much of the engine is built, while it is `preparing`' })),
  },
  { title: 'Readiness' },
)
export type Readiness = Static<typeof Readiness>
