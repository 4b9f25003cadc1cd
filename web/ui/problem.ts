import type { TFunction } from 'i18next'
import { LecternError } from '../../client/error.ts'
import type { FieldError } from '../../contract/errors.ts'

/** Nobody counts more seconds than that. */
const LONG_WAIT = 90

/** What went wrong, in the words that the catalogue has for its code, and for the rule that refused. */
export const explain = (error: unknown, t: TFunction): string => {
  if (!(error instanceof LecternError)) return t('error.network')
  const seconds = error.retryAfter ?? 0
  if (error.code === 'rate_limited' && seconds > LONG_WAIT)
    return t('error.rate_limited_long', { count: Math.ceil(seconds / 60) })
  if (error.rule) return t(`rule.${error.rule}`, { defaultValue: t('error.not_allowed') })
  return t(`error.${error.code}`, { defaultValue: t('error.unknown'), count: seconds })
}

/** What is down or busy may come back; a refusal stays one. */
export const isTransient = (error: unknown) =>
  !(error instanceof LecternError) || error.status >= 500 || error.status === 429

/** Refusals that are about one field without saying so in `errors`. */
const fieldOfCode: Partial<Record<LecternError['code'], string>> = {
  email_taken: 'email',
  username_taken: 'username',
  image_invalid: 'logoFile',
  body_too_large: 'logoFile',
  captcha_required: 'captchaToken',
  captcha_failed: 'captchaToken',
}

const complain = ({ code, params: { min, max } }: FieldError, t: TFunction) =>
  t(`field.${code}`, { defaultValue: t('field.invalid'), count: min ?? max ?? 0 })

/** Says least: told only of a field that nothing else is said of. */
const isVague = ({ code }: FieldError) => code === 'pattern'

/** By field, what is wrong with it; the first complaint about each. */
export const fieldErrors = (error: unknown, t: TFunction): Map<string, string> => {
  const found = new Map<string, string>()
  if (!(error instanceof LecternError)) return found
  const field = fieldOfCode[error.code]
  if (field) found.set(field, explain(error, t))
  const { errors } = error
  for (const one of [...errors.filter(one => !isVague(one)), ...errors.filter(isVague)]) {
    const name = one.path.split('/')[1] ?? ''
    if (!found.has(name)) found.set(name, complain(one, t))
  }
  return found
}
