import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Page } from '@playwright/test'
import type * as livekit from 'livekit-client'

declare global {
  interface Window {
    LivekitClient: typeof livekit
    room: livekit.Room
  }
}

const library = readFileSync(
  resolve(import.meta.dirname, '../../../node_modules/livekit-client/dist/livekit-client.umd.js'),
)
const page = '<!doctype html><meta charset="utf-8"><title>Bare</title><script src="/livekit-client.js"></script>'

/** A page of another site with nothing on it but the LiveKit client, as an integrator might have. */
export const startBareSite = async () => {
  const server = createServer(({ url }, response) => {
    if (url === '/livekit-client.js') response.setHeader('content-type', 'text/javascript').end(library)
    else response.setHeader('content-type', 'text/html').end(page)
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Enters with what `join` answered. The room is then `window.room`. */
export const connect = (page: Page, { mediaUrl, mediaToken }: { mediaUrl: string; mediaToken: string }) =>
  page.evaluate(
    async ([url, token]) => {
      window.room = new window.LivekitClient.Room()
      await window.room.connect(url, token)
    },
    [mediaUrl, mediaToken] as const,
  )
