import { useRef, useState } from 'react'
import { openerNow } from '../../ui/focus.ts'
import type { GuestLink } from '../../ui/guestLinks.ts'

type DialogName = 'devices' | 'shortcuts' | 'invite' | 'inviteToWatch' | 'rename' | 'stream'

/** Asked before what cannot be taken back, or is more than was asked for. */
export interface Question {
  title: string
  text: string
  action: string
  /** It can be taken back. */
  isHarmless?: boolean
  onYes: () => void
}

/** Somebody whom a moderator may remove. */
export interface Removing {
  participantId: string
  name: string
  role: 'user' | 'moderator'
}

/** What stands in front of the room. */
export const useDialogs = () => {
  const [shown, setShown] = useState<DialogName | null>(null)
  const [question, setQuestion] = useState<Question | null>(null)
  const [removing, setRemoving] = useState<Removing | null>(null)
  const [usedLink, setUsedLink] = useState<GuestLink | null>(null)
  const opener = useRef<HTMLElement>(null)
  return {
    shown,
    show: (name: DialogName) => {
      opener.current = openerNow()
      setShown(name)
    },
    close: () => setShown(null),
    question,
    ask: (asked: Question) => {
      opener.current = openerNow()
      setQuestion(asked)
    },
    closeQuestion: () => setQuestion(null),
    removing,
    askToRemove: (person: Removing) => {
      opener.current = openerNow()
      setRemoving(person)
    },
    closeRemoving: () => setRemoving(null),
    /** Whose guests are shown. */
    usedLink,
    showGuestsOf: (link: GuestLink) => {
      opener.current = openerNow()
      setUsedLink(link)
    },
    closeGuests: () => setUsedLink(null),
    /** Of what is shown, or was last. */
    opener,
  }
}

export type Dialogs = ReturnType<typeof useDialogs>
