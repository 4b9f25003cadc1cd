import { useEffect, useRef } from 'react'

/** For the heading of what has taken the place of another view: whoever does not see the change is told of it. */
export const useArrival = () => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return heading
}
