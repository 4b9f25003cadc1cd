import { createContext, useContext } from 'react'
import type { Session } from '../entry.ts'
import type { Call, CallParticipant, RoomRecord } from './call.ts'
import type { OwnMedia } from './ownMedia.ts'

export interface LiveContext {
  session: Session
  call: Call | undefined
  room: RoomRecord | undefined
  callParticipants: Map<string, CallParticipant>
  self: CallParticipant | undefined
  isModerator: boolean
  refresh: () => Promise<void>
  media: OwnMedia
  /** Shows a line for a while. */
  say: (text: string) => void
}

const Context = createContext<LiveContext | null>(null)
export const LiveProvider = Context.Provider

export const useLive = (): LiveContext => {
  const live = useContext(Context)
  if (!live) throw new Error('used outside of the live room')
  return live
}
