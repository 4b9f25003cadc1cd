import { useState } from 'react'

type DialogName = 'devices' | 'shortcuts' | 'invite'

/** Asked before what cannot be taken back. */
export interface Question {
  title: string
  text: string
  action: string
  onYes: () => void
}

/** What stands in front of the room. */
export const useDialogs = () => {
  const [shown, show] = useState<DialogName | null>(null)
  const [question, ask] = useState<Question | null>(null)
  return { shown, show, close: () => show(null), question, ask, closeQuestion: () => ask(null) }
}

export type Dialogs = ReturnType<typeof useDialogs>
