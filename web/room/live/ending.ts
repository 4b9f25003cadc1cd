import { codeOf } from '../../ui/api.ts'
import { isRoomGone, isTransient, reasonOf } from '../closed/reasons.ts'
import type { Ending } from '../ended/Ended.tsx'
import type { JoinedCall } from '../entry.ts'

/** The engine has disconnected the person: the service knows why. If it cannot be asked, `closed` is all that is known. */
export const endingOf = async ({ client, access }: JoinedCall, closed: Ending): Promise<Ending> => {
  const { spaceId, roomId, alias } = access
  try {
    await client.getCall({ spaceId, roomId })
    return closed
  } catch (error) {
    if (isOfNoCall(codeOf(error)) || isTransient(reasonOf(error))) return closed
    if (codeOf(error) === 'removed') return 'removed'
    return endingOfRefusal(error, alias)
  }
}

/** Whoever was let into a call is not into the next one. */
const isOfNoCall = (code: string | null) =>
  code === 'no_call' || code === 'not_admitted' || code === 'denied' || code === 'room_locked'

/** Joining again was refused. */
export const endingOfRefusal = async (error: unknown, alias: string): Promise<Ending> => {
  const reason = reasonOf(error)
  if (reason === 'removed') return 'removed'
  if (codeOf(error) === 'call_ended') return 'ended'
  // A room takes the guests and the tokens of its links along.
  return (await isRoomGone(alias)) ? 'room_gone' : 'access_ended'
}
