import { useEffect, useRef } from 'react'

/* Escape closes the topmost of what is open, and only that. */

/** From the bottom up: what was opened last is on top. */
const layers: (() => void)[] = []

/** Menus and lists of the library close by themselves: whatever is focused in an open one has this mark. */
const isInMenu = (target: EventTarget | null) =>
  target instanceof Element && target.closest('[data-mantine-stop-propagation="true"]') !== null

// Asked before anything has closed, after which nobody could tell.
addEventListener(
  'keydown',
  event => {
    if (event.key === 'Escape' && !event.isComposing && !isInMenu(event.target)) layers.at(-1)?.()
  },
  { capture: true },
)

/** For a dialog or panel: `close` is called when Escape is pressed while nothing stands above it. */
export const useEscape = (isOpen: boolean, close: () => void) => {
  const current = useRef(close)
  current.current = close
  useEffect(() => {
    if (!isOpen) return
    const layer = () => current.current()
    layers.push(layer)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
    }
  }, [isOpen])
}
