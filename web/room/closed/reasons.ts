import { LecternError } from '../../../client/error.ts'
import { anonymousApi, codeOf } from '../../ui/api.ts'

/** Why somebody is not in the room, as the page has words for it. */
export type Reason =
  | 'link_used'
  | 'link_expired'
  | 'link_revoked'
  | 'link_unknown'
  | 'access_ended'
  | 'sign_in'
  | 'private'
  | 'no_access'
  | 'removed'
  | 'denied'
  | 'not_admitted'
  | 'room_locked'
  | 'room_gone'
  | 'media_starting'
  | 'media_off'
  | 'busy'
  | 'unreachable'
  | 'unsupported'
  | 'outdated'

/** Why not and, where another account may help, as whom the person is signed in. */
export interface Refusal {
  reason: Reason
  signedInAs?: string
}

/** Why, by the service's refusal; anything else than an answer of the service means that it was not reached. */
export const reasonOf = (error: unknown): Reason => {
  if (!(error instanceof LecternError)) return 'unreachable'
  switch (error.code) {
    case 'link_used':
    case 'link_expired':
    case 'link_revoked':
    case 'removed':
    case 'denied':
    case 'not_admitted':
    case 'room_locked':
    case 'media_starting':
    case 'media_off':
      return error.code
    case 'not_found':
      return 'room_gone'
    case 'token_required':
    case 'token_invalid':
      return 'access_ended'
    case 'invite_required':
    case 'role_required':
    case 'not_allowed':
      return 'private'
    default:
      return error.status === 502 || error.status === 504 ? 'unreachable' : 'busy'
  }
}

/** What is no longer open to somebody may be no longer there at all: a room takes its links and guests along. */
export const isRoomGone = async (alias: string) => {
  try {
    await anonymousApi.getRoomByAlias({ alias })
    return false
  } catch (error) {
    return codeOf(error) === 'not_found'
  }
}

/** Trying again later helps, without anybody doing anything. */
export const isTransient = (reason: Reason) =>
  reason === 'unreachable' || reason === 'busy' || reason === 'media_starting'
