/* The widget of the captcha provider that the operator has chosen. All providers have the same interface by now. */

interface WidgetApi {
  render: (place: HTMLElement, options: Record<string, unknown>) => string | number
  reset: (id: string | number) => void
  remove?: (id: string | number) => void
}

interface Provider {
  script: string
  /** The global variable under which the script makes itself known. */
  api: string
}

const providers: Record<string, Provider> = {
  turnstile: { script: 'https://challenges.cloudflare.com/turnstile/v0/api.js', api: 'turnstile' },
  hcaptcha: { script: 'https://js.hcaptcha.com/1/api.js?recaptchacompat=off', api: 'hcaptcha' },
  recaptcha: { script: 'https://www.google.com/recaptcha/api.js', api: 'grecaptcha' },
}

/** A script that neither comes nor fails is not waited for longer. */
const LONGEST_LOAD_MS = 15_000

const readSettings = () => {
  const content = document.querySelector<HTMLMetaElement>('meta[name="captcha"]')?.content ?? ''
  const [name = '', siteKey = ''] = content.split(' ')
  const provider = providers[name]
  return provider ? { ...provider, siteKey, host: new URL(provider.script).host } : null
}

/** null: this installation has no captcha. */
export const captcha = readSettings()

type Captcha = NonNullable<typeof captcha>

const ONLOAD = 'onCaptchaLoaded'

const load = ({ script, api }: Captcha, language: string) =>
  new Promise<WidgetApi>((resolve, reject) => {
    const globals = window as unknown as Record<string, unknown>
    const element = document.createElement('script')
    const fail = () => {
      clearTimeout(timer)
      element.remove()
      reject(new Error(`${script} did not load`))
    }
    const timer = setTimeout(fail, LONGEST_LOAD_MS)
    globals[ONLOAD] = () => {
      clearTimeout(timer)
      resolve(globals[api] as WidgetApi)
    }
    const url = new URL(script)
    for (const [name, value] of Object.entries({ render: 'explicit', onload: ONLOAD, hl: language }))
      url.searchParams.set(name, value)
    element.src = url.href
    element.async = true
    element.onerror = fail
    document.head.append(element)
  })

let loading: Promise<WidgetApi> | undefined

/** Once for the page; what failed is tried again when it is asked for again. */
const loadOnce = (from: Captcha, language: string) => {
  loading ??= load(from, language).catch(error => {
    loading = undefined
    throw error
  })
  return loading
}

interface WidgetOptions {
  language: string
  theme: 'light' | 'dark'
  onToken: (token: string) => void
  onExpired: () => void
  onError: () => void
}

export interface Widget {
  /** Asks anew: an answer is good for one use. */
  reset: () => void
  remove: () => void
}

/** The narrowest that providers draw at full size. */
const FULL_WIDTH = 304

export const showWidget = async (
  from: Captcha,
  place: HTMLElement,
  { language, theme, onToken, onExpired, onError }: WidgetOptions,
): Promise<Widget> => {
  const api = await loadOnce(from, language)
  // One of its own each time: a provider draws into an element once.
  const box = document.createElement('div')
  place.replaceChildren(box)
  const id = api.render(box, {
    sitekey: from.siteKey,
    theme,
    size: place.clientWidth < FULL_WIDTH ? 'compact' : 'normal',
    language,
    hl: language,
    'response-field': false,
    callback: onToken,
    'expired-callback': onExpired,
    'error-callback': () => {
      onError()
      return true
    },
  })
  return {
    reset: () => api.reset(id),
    remove: () => {
      api.remove?.(id)
      box.remove()
    },
  }
}
