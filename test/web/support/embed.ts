import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'

/** A site with a page that shows a room and writes down what it is told. */
export const startSchoolSite = async () => {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://school')
    const of = (name: string) => (searchParams.get(name) ?? '').replaceAll('&', '&amp;')
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>School</title><script>
    window.heard = []
    addEventListener('message', ({ data, origin }) => heard.push({ data, origin }))
  </script><iframe title="Room" src="${of('room')}" allow="${of('allow')}" width="340" height="600"></iframe>`)
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  server.unref()
  return server.address() as AddressInfo
}

/** The room in a frame on that site, which lets it use what is in `allow`. */
export const embed = async (page: Page, site: string, room: string, allow: string) => {
  await page.goto(`${site}/?${new URLSearchParams({ room, allow })}`)
  return page.frameLocator('iframe')
}
