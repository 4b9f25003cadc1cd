import { useCallback, useState } from 'react'
import type { JoinedCall } from '../entry.ts'
import { isQuiet, keepQuiet } from '../quiet.ts'

/** Whether the others are heard here; beside another tab or device of the same person, only once that is asked for. */
export const useSound = ({ access: { roomId } }: JoinedCall) => {
  const [isOff, setOff] = useState(() => isQuiet(roomId))
  const turnOn = useCallback(() => {
    keepQuiet(roomId, false)
    setOff(false)
  }, [roomId])
  return { isOff, turnOn }
}

export type Sound = ReturnType<typeof useSound>
