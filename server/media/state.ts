import type { Readiness } from '../../contract/service.ts'

/** How far the engine is. Go is downloaded where there is none, to build it, once in the life of a machine. */
export type MediaState =
  | { status: 'off' }
  | { status: 'downloading' }
  | { status: 'preparing'; percent: number }
  | { status: 'starting' }
  | { status: 'ready' }
  /** It is run elsewhere, and none of its nodes answers. */
  | { status: 'unavailable' }
  | { status: 'failed'; reason: string }

/** As it is told. */
export const describeMedia = (state: MediaState): Pick<Readiness, 'media' | 'mediaPercent'> => ({
  media: state.status,
  mediaPercent: state.status === 'preparing' ? state.percent : null,
})
