import { useEffect, useState } from 'react'
import { codeOf } from '../../ui/api.ts'
import { isTransient, type Refusal, reasonOf } from '../closed/reasons.ts'
import { type AskedToJoin, isJoined, type JoinedCall, joinAs } from '../entry.ts'
import { forgetAsked, rememberAsked } from './asked.ts'

/** As long as the service holds back its answer. */
const WAIT_SECONDS = 25
const PAUSE_MS = 3000

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Asks again and again until a moderator has decided. Says whether the service cannot be asked at this moment. */
export const useAdmission = (
  asked: AskedToJoin,
  onJoined: (joinedCall: JoinedCall) => void,
  onRefused: (refusal: Refusal) => void,
  onLeave: () => void,
) => {
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    const { alias } = asked.access
    const left = new AbortController()
    const { signal } = left
    rememberAsked(alias)

    const ask = async () => {
      const began = performance.now()
      try {
        const answer = await joinAs(asked.access, asked.presence, { waitSeconds: WAIT_SECONDS, signal })
        setLost(false)
        if (signal.aborted || !isJoined(answer)) {
          // A service that is about to stop answers at once.
          return pause(Math.max(0, PAUSE_MS - (performance.now() - began)))
        }
        forgetAsked(alias)
        left.abort()
        onJoined(answer)
      } catch (error) {
        if (signal.aborted) return
        const reason = reasonOf(error)
        if (codeOf(error) === 'call_ended') return pause(PAUSE_MS)
        // They have come in by another tab or device meanwhile, and choose in the lobby.
        if (codeOf(error) === 'already_in_call') return onLeave()
        if (isTransient(reason)) {
          setLost(true)
          return pause(PAUSE_MS)
        }
        forgetAsked(alias)
        left.abort()
        onRefused({ reason })
      }
    }
    const askOn = async () => {
      while (!signal.aborted) await ask()
    }
    void askOn()
    return () => left.abort()
  }, [asked, onJoined, onRefused, onLeave])
  return { isLost }
}
