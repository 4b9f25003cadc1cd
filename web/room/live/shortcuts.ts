import { useEffect, useRef } from 'react'

export const shortcutKeys = ['m', 'v', 's', 'h', 'c', 'p', 'g'] as const
type ShortcutKey = (typeof shortcutKeys)[number] | '?'

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const keyOf = (event: KeyboardEvent): ShortcutKey | undefined => {
  if (event.key === '?') return '?'
  // By the place of the key: the letters of another alphabet work as well.
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase()
  return shortcutKeys.find(key => key === letter)
}

/** Not while typing, with a modifier held, or with a dialogue open. */
export const useShortcuts = (actions: Partial<Record<ShortcutKey, () => void>>) => {
  const current = useRef(actions)
  current.current = actions
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return
      if (document.querySelector('[role="dialog"], [role="menu"]')) return
      const key = keyOf(event)
      const action = key && current.current[key]
      if (!action) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}
