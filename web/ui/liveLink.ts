/** The guest link for those who are to watch the live stream: to the page that plays it. */
export const liveLinkOf = (guestLink: string) => {
  const url = new URL(guestLink)
  url.pathname += '/live'
  return url.href
}
