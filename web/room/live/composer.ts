import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../contract/messages.ts'
import { randomKey } from '../link.ts'
import { useLive } from './context.ts'
import { refusalText } from './refusal.ts'

/** What is being written, and what of it is being sent. */
export const useComposer = (onSent: (message: Message) => void) => {
  const { t } = useTranslation()
  const { joinedCall, say } = useLive()
  const { client, access } = joinedCall
  const [text, setText] = useState('')
  const [sending, setSending] = useState(0)
  // One after the other, so that they stand in the order they were written.
  const queue = useRef(Promise.resolve())
  // The same words tried again are the same message: it may be stored, and only the answer lost.
  const failed = useRef<{ words: string; key: string } | null>(null)

  const post = async (words: string, key: string) => {
    try {
      const { spaceId, roomId } = access
      onSent(await client.createMessage({ spaceId, roomId, text: words }, { idempotencyKey: key }))
    } catch (error) {
      failed.current = { words, key }
      setText(typed => (typed.trim() === '' ? words : `${words}\n${typed}`))
      say(refusalText(error, t, { rate_limited: 'chat.tooFast', chat_off: 'chat.off' }))
    }
    setSending(count => count - 1)
  }
  const send = () => {
    const words = text.trim()
    if (words === '') return
    const key = failed.current?.words === words ? failed.current.key : randomKey()
    failed.current = null
    // At once: what is typed next is another message.
    setText('')
    setSending(count => count + 1)
    queue.current = queue.current.then(() => post(words, key))
  }
  return { text, setText, isSending: sending > 0, send }
}
