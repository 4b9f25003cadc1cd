import { useState } from 'react'

type PanelName = 'chat' | 'people'

/** What is open beside the stage: one at a time, and the chat only where there is one. */
export const usePanels = (hasChat: boolean) => {
  const [chosen, choose] = useState<PanelName | null>(null)
  const shown = chosen === 'chat' && !hasChat ? null : chosen
  return {
    shown,
    hasChat,
    toggle: (name: PanelName) => choose(shown === name ? null : name),
    close: () => choose(null),
  }
}

export type Panels = ReturnType<typeof usePanels>
