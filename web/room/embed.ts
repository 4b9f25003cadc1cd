/*
 * What the page tells the one that shows it in a frame: that the person is in, or out, or that the call is over. It is
 * told to the origins the operator has named and to nobody else.
 */

type News =
  | { type: 'lectern:joined'; alias: string; participantId: string }
  | { type: 'lectern:left'; alias: string }
  | { type: 'lectern:call_finished'; alias: string }

const listeners = (): string[] => {
  const setting = document.querySelector<HTMLMetaElement>('meta[name="embed-origins"]')?.content ?? ''
  return [location.origin, ...setting.split(/\s+/).filter(origin => origin !== '')]
}

const post = (message: News | string) => {
  const allowed = listeners()
  // Browsers complain about a message that its receiver is not meant for, so where the receiver is known it is asked.
  const [parent] = location.ancestorOrigins ?? []
  const receivers = parent && !allowed.includes('*') ? allowed.filter(origin => origin === parent) : allowed
  for (const origin of receivers) window.parent.postMessage(message, origin)
}

export const tellParent = (news: News) => {
  if (window.parent === window) return
  post(news)
  // The name under which pages that embed rooms of this kind already wait for the end.
  if (news.type === 'lectern:call_finished') post('ld_finish_call')
}
