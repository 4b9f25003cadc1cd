import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Audience, Message } from '../../../contract/messages.ts'
import { randomKey } from '../link.ts'
import { useLive } from './context.ts'
import { refusalText } from './refusal.ts'

interface Draft {
  text: string
  to: Audience
  isQuestion: boolean
}

const isSame = (one: Draft, other: Draft) =>
  one.text === other.text && one.to === other.to && one.isQuestion === other.isQuestion

/** What is being written and to whom, and what of it is being sent. */
export const useComposer = (onSent: (message: Message) => void) => {
  const { t } = useTranslation()
  const { joinedCall, say } = useLive()
  const { client, access } = joinedCall
  const [text, setText] = useState('')
  const [to, setTo] = useState<Audience>('everyone')
  const [isQuestion, setIsQuestion] = useState(false)
  const [sending, setSending] = useState(0)
  // One after the other, so that they stand in the order they were written.
  const queue = useRef(Promise.resolve())
  // The same words tried again are the same message: it may be stored, and only the answer lost.
  const failed = useRef<{ draft: Draft; key: string } | null>(null)

  const post = async (draft: Draft, key: string) => {
    try {
      const { spaceId, roomId } = access
      onSent(await client.createMessage({ spaceId, roomId, ...draft }, { idempotencyKey: key }))
    } catch (error) {
      failed.current = { draft, key }
      setText(typed => (typed.trim() === '' ? draft.text : `${draft.text}\n${typed}`))
      // As it was: what was for the hosts must not go to everyone the next time.
      setTo(draft.to)
      setIsQuestion(draft.isQuestion)
      say(refusalText(error, t, { rate_limited: 'chat.tooFast', chat_off: 'chat.off', no_call: 'chat.noCall' }))
    }
    setSending(count => count - 1)
  }
  const send = () => {
    const draft = { text: text.trim(), to, isQuestion }
    if (draft.text === '') return
    const key = failed.current && isSame(failed.current.draft, draft) ? failed.current.key : randomKey()
    failed.current = null
    // At once: what is typed next is another message.
    setText('')
    setIsQuestion(false)
    setSending(count => count + 1)
    queue.current = queue.current.then(() => post(draft, key))
  }
  return { text, setText, to, setTo, isQuestion, setIsQuestion, isSending: sending > 0, send }
}
