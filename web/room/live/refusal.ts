import type { ParseKeys, TFunction } from 'i18next'
import type { ErrorCode } from '../../../contract/errors.ts'
import { codeOf } from '../../ui/api.ts'
import { explain } from '../../ui/problem.ts'

type Words = Partial<Record<ErrorCode, ParseKeys>>

/** A guest has no session to sign in to again. */
const ofTheCall: Words = { token_required: 'closed.access_ended.title', token_invalid: 'closed.access_ended.title' }

/** Why something in the call was not done. The code of the refusal decides; `own` are better words for the case at hand. */
export const refusalText = (error: unknown, t: TFunction, own: Words = {}): string => {
  const words: Partial<Record<string, ParseKeys>> = { unknown: 'live.tryAgain', ...ofTheCall, ...own }
  const key = words[codeOf(error) ?? '']
  return key === undefined ? explain(error, t) : t(key)
}
