import { useState } from 'react'
import type { Ending } from '../ended/Ended.tsx'
import type { Call, CallParticipant } from './call.ts'

const createTimes = () => {
  const joinedAt = Date.now()
  let startedAt: number | null = null
  return {
    /** The call began as long before the person joined as the service says. */
    startOf: (call: Call | undefined, self: CallParticipant | undefined) => {
      if (call && self) startedAt ??= joinedAt - (Date.parse(self.joinedAt) - Date.parse(call.startedAt))
      return startedAt
    },
    /** Of the whole call when it was ended for all, else of the stay. */
    secondsUntil: (ending: Ending) => {
      const since = (ending === 'ended' && startedAt) || joinedAt
      return Math.max(0, (Date.now() - since) / 1000)
    },
  }
}

export type Times = ReturnType<typeof createTimes>

/** How long the call, and the person's stay in it, have lasted: by the person's own clock, whatever it shows. */
export const useTimes = (): Times => useState(createTimes)[0]
