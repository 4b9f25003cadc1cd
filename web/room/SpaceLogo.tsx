import { useState } from 'react'

/** It is somewhere else in the world, and may be gone. */
export const SpaceLogo = ({ src }: { src: string }) => {
  const [isGone, setGone] = useState(false)
  return isGone ? null : <img src={src} alt="" width={32} height={32} onError={() => setGone(true)} />
}
