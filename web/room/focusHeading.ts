import { useEffect, useRef } from 'react'

/** For the heading of a view that has replaced another: it is focused, so that a screen reader reads it out. */
export const useFocusedHeading = () => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return heading
}
