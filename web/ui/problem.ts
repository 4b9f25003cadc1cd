import type { TFunction } from 'i18next'
import { LecternError } from '../../client/client.ts'

/** Nobody counts more seconds than that. */
const LONG_WAIT = 90

/** What went wrong in words: by its code from the catalogue, else as the service put it. */
export const explain = (error: unknown, t: TFunction): string => {
  if (!(error instanceof LecternError)) return t('error.network')
  // Which rule refuses only the service can tell; so some texts pass on its own.
  const { message: detail, retryAfter } = error
  const seconds = retryAfter ?? 0
  if (error.code === 'rate_limited' && seconds > LONG_WAIT)
    return t('error.rate_limited_long', { count: Math.ceil(seconds / 60) })
  return t(`error.${error.code}`, { defaultValue: detail, detail, count: seconds })
}

/** What is down or busy may come back; a refusal stays one. */
export const mayPass = (error: unknown) =>
  !(error instanceof LecternError) || error.status >= 500 || error.status === 429

/** Refusals that are about one field without saying so in `errors`. */
const fieldOfCode: Partial<Record<LecternError['code'], string>> = {
  email_taken: 'email',
  username_taken: 'username',
  address_not_allowed: 'url',
  captcha_required: 'captchaToken',
  captcha_failed: 'captchaToken',
}

const complaints: [RegExp, string][] = [
  [/^is required$|fewer than 1 char/, 'field.required'],
  [/fewer than (\d+) char/, 'field.short'],
  [/more than (\d+) char/, 'field.long'],
  [/^is not right$/, 'field.wrong'],
  [/format "email"/, 'field.email'],
  [/format "http-url"/, 'field.url'],
  [/^must be >= (\d+)/, 'field.least'],
  [/^must be <= (\d+)/, 'field.most'],
  [/a form that is not allowed|must match pattern/, 'field.form'],
]

const complain = (message: string, t: TFunction) => {
  for (const [pattern, key] of complaints) {
    const found = pattern.exec(message)
    if (found) return t(key, { count: Number(found[1] ?? 1) })
  }
  return message
}

/** Says least: told only of a field that nothing else is said of. */
const isVague = ({ message }: { message: string }) => message.includes('a form that is not allowed')

/** By field, what is wrong with it; the first complaint about each. */
export const fieldErrors = (error: unknown, t: TFunction): Map<string, string> => {
  const found = new Map<string, string>()
  if (!(error instanceof LecternError)) return found
  const field = fieldOfCode[error.code]
  if (field) found.set(field, explain(error, t))
  const { errors } = error
  for (const { path, message } of [...errors.filter(one => !isVague(one)), ...errors.filter(isVague)]) {
    const name = path.split('/')[1] ?? ''
    if (!found.has(name)) found.set(name, complain(message, t))
  }
  return found
}
