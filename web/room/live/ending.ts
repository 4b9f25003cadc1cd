import { codeOf } from '../../ui/api.ts'
import { isRoomGone, isTransient, reasonOf } from '../closed/reasons.ts'
import type { Ending } from '../ended/Ended.tsx'
import { type JoinedCall, joinAs } from '../entry.ts'

const isElsewhere = (error: unknown) => codeOf(error) === 'already_in_call'

/** The engine has disconnected the person: the service knows why. If it cannot be asked, `closed` is all that is known. */
export const endingOf = async ({ client, access }: JoinedCall, closed: Ending): Promise<Ending> => {
  const { spaceId, roomId, alias } = access
  try {
    await client.getLiveCall({ spaceId, roomId })
    // Whoever may still be in the call has been disconnected for another tab or device of theirs.
    if (closed === 'removed') await joinAs(access, 'ask')
    return closed
  } catch (error) {
    if (isElsewhere(error)) return 'other_tab'
    if (isOfNoCall(codeOf(error)) || isTransient(reasonOf(error))) return closed
    if (codeOf(error) === 'removed') return 'removed'
    return endingOfRefusal(error, alias)
  }
}

/** Whoever was let into a call is not into the next one. */
const isOfNoCall = (code: string | null) =>
  code === 'no_call' || code === 'not_admitted' || code === 'denied' || code === 'room_locked'

/** Joining again was refused, and trying later does not help. */
export const isRefusal = (error: unknown) =>
  isElsewhere(error) || (codeOf(error) !== null && !isTransient(reasonOf(error)))

export const endingOfRefusal = async (error: unknown, alias: string): Promise<Ending> => {
  const reason = reasonOf(error)
  if (isElsewhere(error)) return 'other_tab'
  if (reason === 'removed') return 'removed'
  if (codeOf(error) === 'call_ended') return 'ended'
  // A room takes the guests and the tokens of its links along.
  return (await isRoomGone(alias)) ? 'room_gone' : 'access_ended'
}
