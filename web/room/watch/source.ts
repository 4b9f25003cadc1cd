import type Hls from 'hls.js'
import type { ErrorData } from 'hls.js'

/** What a player tells of where it gets the stream from. */
export interface SourceEvents {
  /** It can be played from now on. */
  onReady: () => void
  /** Whether the service was reached the last time. */
  onReached: (isReached: boolean) => void
  /** There is no more of it for this person: the service is to say why. */
  onGone: () => void
}

export interface Source {
  /** Seconds between what is shown and the newest there is; 0 while that is unknown. */
  latency: () => number
  /** As near to it as can be played without stopping. */
  livePosition: () => number | null
  close: () => void
}

const RETRY_MS = 2000
/** Nothing comes for so long: it is looked after. */
const SILENT_MS = 15_000

const isRefused = ({ response }: ErrorData) => {
  const status = response?.code ?? 0
  return status >= 400 && status < 500 && status !== 429
}

/** Seconds that can be played before anything more is needed. */
const aheadIn = ({ buffered, currentTime }: HTMLVideoElement) => {
  for (let index = 0; index < buffered.length; index++)
    if (buffered.start(index) <= currentTime && currentTime <= buffered.end(index))
      return buffered.end(index) - currentTime
  return 0
}

const byHls = (
  Player: typeof Hls,
  video: HTMLVideoElement,
  playlist: string,
  { onReady, onReached, onGone }: SourceEvents,
): Source => {
  const { Events, ErrorTypes } = Player
  const player = new Player({
    // A worker would have to be allowed by the page's policy.
    enableWorker: false,
    liveSyncDurationCount: 2,
    maxLiveSyncPlaybackRate: 1.1,
    backBufferLength: 30,
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = (what: () => void, ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(what, ms)
  }
  const onFatal = (data: ErrorData) => {
    if (data.type === ErrorTypes.MEDIA_ERROR) return player.recoverMediaError()
    const isOfPlaylist = data.frag === undefined || data.frag === null
    // What was received already is played to its end.
    if (isOfPlaylist && isRefused(data))
      return later(onGone, data.response?.code === 410 ? Math.min(aheadIn(video) * 1000, SILENT_MS) : RETRY_MS)
    const isBegun = player.levels.length > 0
    later(() => (isBegun ? player.startLoad() : player.loadSource(playlist)), RETRY_MS)
  }
  video.addEventListener('ended', onGone)
  player.on(Events.MANIFEST_PARSED, onReady)
  player.on(Events.LEVEL_LOADED, () => onReached(true))
  player.on(Events.ERROR, (_event, data) => {
    if (data.type === ErrorTypes.NETWORK_ERROR && !isRefused(data)) onReached(false)
    if (data.fatal) onFatal(data)
  })
  player.loadSource(playlist)
  player.attachMedia(video)
  return {
    // Its own is as old as the picture while that stands still.
    latency: () => (player.latestLevelDetails ? player.latestLevelDetails.edge - video.currentTime : 0),
    livePosition: () => player.liveSyncPosition,
    close() {
      clearTimeout(timer)
      video.removeEventListener('ended', onGone)
      player.destroy()
    },
  }
}

/** Safari plays it by itself, and tells little of it. */
const byBrowser = (video: HTMLVideoElement, playlist: string, { onReady, onReached, onGone }: SourceEvents): Source => {
  const closing = new AbortController()
  const { signal } = closing
  let timer: ReturnType<typeof setTimeout> | undefined
  const newest = () => (video.seekable.length > 0 ? video.seekable.end(video.seekable.length - 1) : null)
  const lookLater = (ms: number) => {
    onReached(false)
    clearTimeout(timer)
    timer = setTimeout(onGone, ms)
  }
  video.addEventListener('loadedmetadata', onReady, { signal })
  video.addEventListener('ended', onGone, { signal })
  video.addEventListener('error', () => lookLater(RETRY_MS), { signal })
  video.addEventListener('waiting', () => lookLater(SILENT_MS), { signal })
  video.addEventListener(
    'playing',
    () => {
      clearTimeout(timer)
      onReached(true)
    },
    { signal },
  )
  video.src = playlist
  return {
    latency: () => Math.max(0, (newest() ?? 0) - video.currentTime),
    livePosition: newest,
    close() {
      clearTimeout(timer)
      closing.abort()
      video.removeAttribute('src')
      video.load()
    },
  }
}

/** null: this browser plays no such stream. */
export const openSource = async (
  video: HTMLVideoElement,
  playlist: string,
  events: SourceEvents,
): Promise<Source | null> => {
  const { default: Player } = await import('hls.js/light')
  if (Player.isSupported()) return byHls(Player, video, playlist, events)
  return video.canPlayType('application/vnd.apple.mpegurl') === '' ? null : byBrowser(video, playlist, events)
}
