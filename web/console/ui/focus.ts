import { createContext, useCallback, useContext, useEffect, useRef } from 'react'

/** Focuses the heading of the section or page around, of the nearest that is still there. */
export const HeadingContext = createContext(() => {})

/** The heading of a section or page, and what to provide as its HeadingContext. */
export const useHeading = () => {
  const heading = useRef<HTMLHeadingElement>(null)
  const focusAbove = useContext(HeadingContext)
  const focus = useCallback(() => {
    if (heading.current) heading.current.focus({ preventScroll: true })
    else focusAbove()
  }, [focusAbove])
  return { heading, focus }
}

/** For controls that go with what they do: focus that is lost with them goes to the heading above. */
export const useFocusRescue = () => {
  const focusHeading = useContext(HeadingContext)
  return useCallback(() => {
    // Once the page is drawn without them.
    queueMicrotask(() => document.activeElement === document.body && focusHeading())
  }, [focusHeading])
}

/** Rescues focus when what it stands in is gone. */
export const FocusRescue = () => {
  const rescue = useFocusRescue()
  useEffect(() => rescue, [rescue])
  return null
}
