import { useEffect } from 'react'

/** A phone keeps its screen on while somebody watches. The browser lets go of it whenever the page is hidden. */
export const useWakefulScreen = () => {
  useEffect(() => {
    if (!navigator.wakeLock) return
    let isOver = false
    let lock: WakeLockSentinel | undefined
    const hold = async () => {
      if (document.visibilityState !== 'visible') return
      // Refused on a low battery, and in frames that may not.
      lock = await navigator.wakeLock.request('screen').catch(() => undefined)
      if (isOver) void lock?.release()
    }
    void hold()
    document.addEventListener('visibilitychange', hold)
    return () => {
      isOver = true
      document.removeEventListener('visibilitychange', hold)
      void lock?.release()
    }
  }, [])
}
