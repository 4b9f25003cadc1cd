import { useEffect, useState } from 'react'
import type { Background } from '../devices.ts'
import { canChangeBackground } from '../live/background/support.ts'

export interface Backdrop {
  /** The picture as others will see it; null: not yet. */
  stream: MediaStream | null
  isPending: boolean
}

const nothing: Backdrop = { stream: null, isPending: false }

/** The picture of the camera with what was chosen behind the person. `onFailed`: it is shown as it is after all. */
export const useBackdrop = (
  camera: MediaStream | null,
  background: Background,
  onFailed: (why: 'failed' | 'slow') => void,
): Backdrop => {
  const [backdrop, setBackdrop] = useState(nothing)
  useEffect(() => {
    const [track] = camera?.getVideoTracks() ?? []
    if (!track || background === 'none' || !canChangeBackground()) return
    let isGone = false
    const giveUp = (why: 'failed' | 'slow') => !isGone && onFailed(why)
    setBackdrop({ stream: null, isPending: true })
    const processed = import('../live/background/processor.ts').then(({ process }) =>
      process(track, background, () => giveUp('slow')),
    )
    processed.then(
      result => !isGone && setBackdrop({ stream: new MediaStream([result.track]), isPending: false }),
      () => giveUp('failed'),
    )
    return () => {
      isGone = true
      setBackdrop(nothing)
      void processed.then(result => result.stop()).catch(() => {})
    }
  }, [camera, background, onFailed])
  return backdrop
}
