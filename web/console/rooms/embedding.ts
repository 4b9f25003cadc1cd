/** The sites that may show rooms in a frame, as the operator has set; `*`: all. */
export const embedOrigins = (document.querySelector<HTMLMetaElement>('meta[name="embed-origins"]')?.content ?? '')
  .split(' ')
  .filter(origin => origin !== '')

/** The code of a frame that shows what is at this address. */
export const frameCode = (url: string, title: string) => {
  const quoted = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<iframe src="${quoted(url)}"
  title="${quoted(title)}" width="100%" height="640" style="border: 0"
  allow="camera; microphone; display-capture; autoplay; fullscreen; screen-wake-lock"></iframe>`
}
