import { useState } from 'react'

/** It is somewhere else in the world, and may be gone. */
export const SpaceLogo = ({ src, size = 32 }: { src: string; size?: number }) => {
  const [isGone, setGone] = useState(false)
  if (isGone) return null
  return (
    <img
      src={src}
      alt=""
      width={size}
      height={size}
      // An SVG without a size of its own, or a wide one, keeps its shape.
      style={{ objectFit: 'contain' }}
      onError={() => setGone(true)}
    />
  )
}
