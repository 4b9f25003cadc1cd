import Type, { type Static } from 'typebox'
import { Nullable } from './common.ts'

export const MediaStatus = Type.Unsafe<
  'off' | 'downloading' | 'preparing' | 'starting' | 'ready' | 'unavailable' | 'failed'
>(
  Type.String({
    enum: ['off', 'downloading', 'preparing', 'starting', 'ready', 'unavailable', 'failed'],
    description:
      'off: switched off. downloading: what builds the engine is being downloaded. preparing: it is being built. ' +
      'starting, ready. unavailable: no node of the external engine responds. failed: it cannot be started, and the log ' +
      'says why',
  }),
)
export type MediaStatus = Static<typeof MediaStatus>

/** The answer of `/readyz`, with status 200 or 503. */
export const Readiness = Type.Object(
  {
    status: Type.Unsafe<'ready' | 'stopping' | 'not_ready'>(Type.String({ enum: ['ready', 'stopping', 'not_ready'] })),
    database: Type.Unsafe<'ready' | 'unavailable'>(Type.String({ enum: ['ready', 'unavailable'] })),
    media: MediaStatus,
    mediaPercent: Nullable(Type.Integer({ description: 'How much of the engine is built, while it is `preparing`' })),
  },
  { title: 'Readiness' },
)
export type Readiness = Static<typeof Readiness>
