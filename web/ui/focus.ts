import { createContext, type RefObject, useCallback, useContext, useEffect, useLayoutEffect, useRef } from 'react'

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

/** For controls that go with what they do: focus that is lost with them goes to what opened them or, without, the heading above. */
export const useFocusRescue = (opener?: RefObject<HTMLElement | null>) => {
  const focusHeading = useContext(HeadingContext)
  return useCallback(() => {
    const isLost = () => document.activeElement === document.body
    // Once the page is drawn without them.
    queueMicrotask(() => {
      if (isLost()) opener?.current?.focus({ preventScroll: true })
      if (isLost()) focusHeading()
    })
  }, [opener, focusHeading])
}

/** For a part of the page that may be taken away with focus in it. */
export const useFocusRescueOf = (part: RefObject<HTMLElement | null>, opener?: RefObject<HTMLElement | null>) => {
  const rescue = useFocusRescue(opener)
  useLayoutEffect(() => {
    const element = part.current
    return () => {
      if (element?.contains(document.activeElement)) rescue()
    }
  }, [part, rescue])
}

/** What is pressed to open something; of an entry in a menu, the button of the menu. */
export const openerNow = (): HTMLElement | null => {
  const pressed = document.activeElement as HTMLElement | null
  const menu = pressed?.closest('[role="menu"]')
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : pressed
}

/** The library gives focus back 10 ms after a dialog has closed, unless something else has taken it by then. */
const LIBRARY_MS = 30

/** Rescues focus when the dialog it stands in is gone. */
export const FocusRescue = ({ opener }: { opener?: RefObject<HTMLElement | null> }) => {
  const rescue = useFocusRescue(opener)
  useEffect(() => () => void setTimeout(rescue, LIBRARY_MS), [rescue])
  return null
}
