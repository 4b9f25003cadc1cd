import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { type Installation, startLectern } from './lectern.ts'
import { test as base } from './room.ts'

/*
 * A captcha provider of the tests' own. The service verifies answers with it, and browsers get its widget in place of
 * the real one, from the real one's addresses: so the policy of the page counts as it does with the real one.
 */

const widgets = {
  turnstile: { api: 'turnstile', script: 'https://challenges.cloudflare.com/turnstile/v0/api.js' },
  hcaptcha: { api: 'hcaptcha', script: 'https://js.hcaptcha.com/1/api.js' },
  recaptcha: { api: 'grecaptcha', script: 'https://www.google.com/recaptcha/api.js' },
}
const frames = {
  turnstile: 'https://challenges.cloudflare.com/cdn-cgi/challenge-platform/frame',
  hcaptcha: 'https://newassets.hcaptcha.com/captcha/v1/frame',
  recaptcha: 'https://www.google.com/recaptcha/api2/anchor',
}
export type ProviderName = keyof typeof widgets

/** What the providers' scripts have in common. Runs in the page. */
const widgetScript = (api: string, frameUrl: string) => `{
  const script = new URL(document.currentScript.src)
  const widgets = []
  const draw = ({ frame, options: { sitekey, theme, size, language } }) => {
    frame.src = '${frameUrl}?' + new URLSearchParams({ sitekey, theme, size, language })
  }
  window.${api} = {
    render(box, options) {
      const frame = document.createElement('iframe')
      const [width, height] = options.size === 'compact' ? [164, 144] : [304, 65]
      Object.assign(frame, { title: 'Captcha widget', width, height })
      frame.style.border = 'none'
      box.append(frame)
      draw({ frame, options })
      return widgets.push({ frame, options }) - 1
    },
    reset: id => draw(widgets[id]),
    ${api === 'grecaptcha' ? '' : 'remove: id => widgets[id].frame.remove(),'}
  }
  addEventListener('message', ({ source, data }) => {
    const widget = widgets.find(({ frame }) => frame.contentWindow === source)
    widget?.options[data.call](data.answer)
  })
  window[script.searchParams.get('onload')]()
}`

/** With a button for everything that may come of it. */
const widgetFrame = (theme: string) => {
  const dark = theme === 'dark'
  return `<!doctype html><html lang="en"><title>Captcha widget</title>
    <style>
      body { margin: 0; padding: 8px; box-sizing: border-box; height: 100vh; font: 14px sans-serif; border: 1px solid #888;
        background: ${dark ? '#222' : '#fafafa'}; color: ${dark ? '#eee' : '#222'} }
      button { font: inherit }
    </style>
    <button onclick="tell('callback', 'answer-' + Math.random()); this.textContent = 'Solved'">I am human</button>
    <button onclick="tell('callback', 'wrong')">I am a robot</button>
    <button onclick="tell('expired-callback'); document.querySelector('button').textContent = 'I am human'">Expire</button>
    <button onclick="tell('error-callback')">Fail</button>
    <script>const tell = (call, answer) => parent.postMessage({ call, answer }, '*')</script>`
}

export interface CaptchaProvider {
  /** The forms that came to siteverify. */
  asked: Record<string, string>[]
  /** The service, which asks for this captcha. */
  lectern: Installation
  /** Browsers get its widget by this; gives the addresses of its scripts that the page has asked for. */
  serveTo: (page: Page) => Promise<string[]>
}

export const SECRET = 'captcha secret'
export const SITE_KEY = '0x4AAAA_site-key'

/** Answers are good for one use. */
const startSiteverify = async () => {
  const asked: Record<string, string>[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const form = Object.fromEntries(new URLSearchParams(text))
    const isFresh = asked.every(before => before.response !== form.response)
    asked.push(form)
    response.end(JSON.stringify({ success: isFresh && form.response?.startsWith('answer-') }))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`
  return { asked, url, stop: () => void server.close() }
}

const startProvider = async (name: ProviderName) => {
  const siteverify = await startSiteverify()
  const { stop, ...lectern } = await startLectern({
    LECTERN_MEDIA: 'off',
    // So that an account can be tried from many addresses.
    LECTERN_TRUSTED_PROXIES: '127.0.0.1,::1',
    LECTERN_CAPTCHA_PROVIDER: name,
    LECTERN_CAPTCHA_SITE_KEY: SITE_KEY,
    LECTERN_CAPTCHA_SECRET: SECRET,
    LECTERN_CAPTCHA_URL: siteverify.url,
  })
  const { api, script } = widgets[name]
  const serveTo = async (page: Page) => {
    const scripts: string[] = []
    await page.route(`${frames[name]}?*`, route => {
      const theme = new URL(route.request().url()).searchParams.get('theme') ?? ''
      return route.fulfill({ contentType: 'text/html', body: widgetFrame(theme) })
    })
    await page.route(`${script}?*`, route => {
      scripts.push(route.request().url())
      return route.fulfill({ contentType: 'text/javascript', body: widgetScript(api, frames[name]) })
    })
    return scripts
  }
  return {
    provider: { asked: siteverify.asked, lectern, serveTo },
    stop: async () => {
      await stop()
      siteverify.stop()
    },
  }
}

/** `withCaptcha(name)` is a service of its own that asks for that captcha; it ends with the test. */
export const test = base.extend<{ withCaptcha: (name: ProviderName) => Promise<CaptchaProvider> }>({
  // biome-ignore lint/correctness/noEmptyPattern: how a fixture says that it needs no other
  withCaptcha: async ({}, use) => {
    const stops: (() => Promise<void>)[] = []
    await use(async name => {
      const { provider, stop } = await startProvider(name)
      stops.push(stop)
      return provider
    })
    for (const stop of stops) await stop()
  },
})

/** An invite for someone without an account. */
export const makeInvite = async ({ operator, url }: Installation) => {
  const { id: spaceId } = await operator.createSpaces({ name: 'School' })
  const { id } = await operator.createInvite({ spaceId, role: 'role_space_user' })
  return { spaceId, link: `${url}/invite#${spaceId}/${id}` }
}

/** Guessed at so often, from everywhere, that the next sign-in needs a captcha. */
export const guessAt = async ({ url }: Installation, username: string) => {
  const guess = (from: string) =>
    fetch(`${url}/v1/auth/token`, {
      method: 'POST',
      headers: { 'x-forwarded-for': from },
      body: new URLSearchParams({ grant_type: 'password', username, password: randomUUID() }),
    })
  await Promise.all(Array.from({ length: 100 }, (_, index) => guess(`192.0.2.${index % 20}`)))
}

export const widget = (page: Page) => page.frameLocator('iframe[title="Captcha widget"]')
export const solve = (page: Page) => widget(page).getByRole('button', { name: 'I am human' }).click()
