import type { Config } from '../config.ts'
import { Problem } from '../http/problem.ts'

interface CaptchaProvider {
  verifyUrl: string
  /** What its widget needs in the policy of a page, as its documentation says. */
  sources: string
}

const providers: Record<NonNullable<Config['captchaProvider']>, CaptchaProvider> = {
  turnstile: {
    verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    sources: 'https://challenges.cloudflare.com',
  },
  hcaptcha: {
    verifyUrl: 'https://api.hcaptcha.com/siteverify',
    sources: 'https://hcaptcha.com https://*.hcaptcha.com',
  },
  recaptcha: {
    verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
    sources: ['www.google.com', 'www.gstatic.com', 'recaptcha.google.com']
      .map(host => `https://${host}/recaptcha/`)
      .join(' '),
  },
}

/** For the policy of pages with the widget; empty without a captcha. */
export const captchaSources = ({ captchaProvider }: Config) =>
  captchaProvider ? providers[captchaProvider].sources : ''

interface Verdict {
  success?: unknown
  'error-codes'?: unknown
}

/** The secret or the keys are wrong, whatever the person has solved. */
const isMisconfigured = (verdict: Verdict | null) => {
  const codes = verdict?.['error-codes']
  return Array.isArray(codes) && codes.some(code => /secret|invalid-keys/.test(String(code)))
}

/** Asks the configured provider: all take the same form. Without one, all is well. */
export const verifyCaptcha = async (
  { captchaProvider, captchaUrl, captchaSecret }: Config,
  token: string | undefined,
  address: string,
): Promise<void> => {
  const verifyUrl = captchaUrl ?? (captchaProvider && providers[captchaProvider].verifyUrl)
  if (!verifyUrl || !captchaSecret) return
  if (!token) throw new Problem('captcha_required', 'A captcha is required. Send its response as captchaToken.')
  let verdict: Verdict | null
  try {
    const response = await fetch(verifyUrl, {
      method: 'POST',
      body: new URLSearchParams({ secret: captchaSecret, response: token, remoteip: address }),
      signal: AbortSignal.timeout(5000),
      redirect: 'error',
    })
    verdict = (await response.json()) as typeof verdict
  } catch {
    throw new Problem('unavailable', 'The captcha provider is unreachable. Try again in a moment.')
  }
  if (verdict?.success === true) return
  if (isMisconfigured(verdict))
    throw new Problem('unavailable', 'The captcha provider rejected the secret. Check LECTERN_CAPTCHA_SECRET.')
  throw new Problem('captcha_failed', 'Captcha verification failed. Solve a new one.')
}
