/*
 * Events for the page that embeds this one: the person joined or left, or the call ended. They are posted only to the
 * origins that the operator allows.
 */

type EmbedEvent =
  | { type: 'lectern:joined'; alias: string; participantId: string }
  | { type: 'lectern:left'; alias: string }
  | { type: 'lectern:call_finished'; alias: string }

export const isFramed = () => window.parent !== window

const listeners = (): string[] => {
  const setting = document.querySelector<HTMLMetaElement>('meta[name="embed-origins"]')?.content ?? ''
  return [location.origin, ...setting.split(/\s+/).filter(origin => origin !== '')]
}

const post = (message: EmbedEvent | string) => {
  const allowed = listeners()
  // Browsers complain about a message that its receiver is not meant for, so where the receiver is known it is asked.
  const [parent] = location.ancestorOrigins ?? []
  const receivers = parent && !allowed.includes('*') ? allowed.filter(origin => origin === parent) : allowed
  for (const origin of receivers) window.parent.postMessage(message, origin)
}

export const postToParent = (event: EmbedEvent) => {
  if (!isFramed()) return
  post(event)
  // The message that existing embedding pages wait for when a call ends.
  if (event.type === 'lectern:call_finished') post('ld_finish_call')
}
