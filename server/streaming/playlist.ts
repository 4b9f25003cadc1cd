import { type Segment, segmentsOf } from '../store/streams.ts'
import type { Row } from '../store/tables.ts'

export const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl'
export const SEGMENT_TYPE = 'video/mp2t'

/** How many segments players are told of: enough to begin with, and to catch up after a short trouble. */
export const LISTED = 6
/** Players stay three of them behind, so that it is no longer than it has to be. */
const LEAST_TARGET_SECONDS = 2

/** What players read every two seconds (RFC 8216). */
export const playlistOf = (stream: Row<'streams'>, pathOf: (segment: Segment) => string): string => {
  const listed = segmentsOf(stream).slice(-LISTED)
  const target = Math.max(LEAST_TARGET_SECONDS, ...listed.map(({ durationMs }) => Math.round(durationMs / 1000)))
  const lines = listed.flatMap((segment, index) => [
    ...(index > 0 && segment.part !== listed[index - 1]?.part ? ['#EXT-X-DISCONTINUITY'] : []),
    `#EXTINF:${(segment.durationMs / 1000).toFixed(3)},`,
    pathOf(segment),
  ])
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:3',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-TARGETDURATION:${target}`,
    `#EXT-X-MEDIA-SEQUENCE:${listed[0]?.sequence ?? 0}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${listed[0]?.part ?? 0}`,
    ...lines,
    ...(stream.endedAt === null ? [] : ['#EXT-X-ENDLIST']),
    '',
  ].join('\n')
}
