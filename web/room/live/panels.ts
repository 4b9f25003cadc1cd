import { useState } from 'react'

type PanelName = 'chat' | 'people' | 'host'

/** What is open beside the stage: one at a time, the chat only where there is one, what a host needs only for hosts. */
export const usePanels = (hasChat: boolean, isHost: boolean) => {
  const [chosen, choose] = useState<PanelName | null>(null)
  const isThere = { chat: hasChat, people: true, host: isHost }
  const shown = chosen && isThere[chosen] ? chosen : null
  return {
    shown,
    hasChat,
    open: choose,
    toggle: (name: PanelName) => choose(shown === name ? null : name),
    close: () => choose(null),
  }
}

export type Panels = ReturnType<typeof usePanels>
