import type { Config } from './config.ts'
import { Problem } from './problem.ts'

/** Asks the configured provider (Turnstile, hCaptcha, reCAPTCHA: all take the same form). Without one, all is well. */
export const verifyCaptcha = async (
  { captchaUrl, captchaSecret }: Config,
  token: string | undefined,
  address: string,
): Promise<void> => {
  if (!captchaUrl || !captchaSecret) return
  if (!token)
    throw new Problem('captcha_required', 'This installation asks for a captcha: send its answer as captchaToken.')
  let verdict: { success?: unknown }
  try {
    const response = await fetch(captchaUrl, {
      method: 'POST',
      body: new URLSearchParams({ secret: captchaSecret, response: token, remoteip: address }),
      signal: AbortSignal.timeout(5000),
      redirect: 'error',
    })
    verdict = (await response.json()) as typeof verdict
  } catch {
    throw new Problem('unavailable', 'The captcha provider cannot be reached. Try again in a moment.')
  }
  if (verdict?.success !== true) throw new Problem('captcha_failed', 'The captcha was not accepted. Solve a new one.')
}
