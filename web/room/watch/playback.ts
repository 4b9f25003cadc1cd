import { type RefObject, useEffect, useRef, useState } from 'react'
import { openSource, type Source } from './source.ts'

/** Behind the newest there is. About half of it is usual, and what is much older can't be had any more. */
const BEHIND_SECONDS = 8
const LOOK_EVERY_MS = 1000

interface PlaybackOptions {
  onGone: () => void
  onUnsupported: () => void
}

/** Plays the stream, and tells how that goes. */
export const usePlayback = (
  screen: RefObject<HTMLVideoElement | null>,
  playlist: string,
  { onGone, onUnsupported }: PlaybackOptions,
) => {
  const source = useRef<Source>(null)
  const [isPaused, setPaused] = useState(false)
  const [isLoading, setLoading] = useState(true)
  const [isBlocked, setBlocked] = useState(false)
  const [isReached, setReached] = useState(true)
  const [isBehind, setBehind] = useState(false)
  const handlers = useRef({ onGone, onUnsupported })
  handlers.current = { onGone, onUnsupported }

  const play = () =>
    screen.current?.play().then(
      () => setBlocked(false),
      // Browsers let nothing be heard that nobody has asked for.
      error => (error as Error).name === 'NotAllowedError' && setBlocked(true),
    )
  const begin = useRef(play)
  begin.current = play

  useEffect(() => {
    const video = screen.current
    if (!video) return
    let isOver = false
    const opening = openSource(video, playlist, {
      onReady: () => void begin.current(),
      onReached: setReached,
      onGone: () => handlers.current.onGone(),
    })
    opening.then(
      opened => {
        if (isOver) return opened?.close()
        source.current = opened
        if (!opened) handlers.current.onUnsupported()
      },
      // The player could not be fetched.
      () => !isOver && setReached(false),
    )
    return () => {
      isOver = true
      source.current?.close()
      source.current = null
    }
  }, [screen, playlist])

  useEffect(() => {
    const video = screen.current
    if (!video) return
    const closing = new AbortController()
    const on = (event: string, then: () => void) => video.addEventListener(event, then, { signal: closing.signal })
    on('play', () => setPaused(false))
    on('pause', () => setPaused(true))
    on('waiting', () => setLoading(true))
    on('playing', () => setLoading(false))
    const timer = setInterval(() => setBehind((source.current?.latency() ?? 0) > BEHIND_SECONDS), LOOK_EVERY_MS)
    return () => {
      closing.abort()
      clearInterval(timer)
    }
  }, [screen])

  return {
    isPaused,
    isLoading,
    isBlocked,
    isReached,
    isBehind,
    play,
    toggle: () => (screen.current?.paused ? void play() : screen.current?.pause()),
    toLive() {
      const position = source.current?.livePosition() ?? null
      if (screen.current && position !== null) screen.current.currentTime = position
      void play()
    },
  }
}
