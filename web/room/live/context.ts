import { createContext, type RefObject, useContext } from 'react'
import type { JoinedCall } from '../entry.ts'
import type { CallParticipant, KnownCall } from './call.ts'
import type { Comings } from './comings.ts'
import type { Connection } from './connection.ts'
import type { Dialogs } from './dialogs.ts'
import type { WaitingRoom } from './host/waiting.ts'
import type { Look } from './look.ts'
import type { Messages } from './messages.ts'
import type { OwnMedia } from './ownMedia.ts'
import type { Panels } from './panels.ts'
import type { Reactions } from './reactions.ts'
import type { Sound } from './sound.ts'
import type { View } from './view.ts'

/** What the parts of the room share, by subject. */
interface LiveContext extends KnownCall {
  joinedCall: JoinedCall
  connection: Connection
  sound: Sound
  /** Set by whoever ends the call for all, to be told so. */
  hasEndedCall: RefObject<boolean>
  media: OwnMedia
  chat: Messages
  panels: Panels
  /** Empty for others than moderators. */
  waiting: WaitingRoom
  reactions: Reactions
  comings: Comings
  dialogs: Dialogs
  look: Look
  view: View
  toggleView: () => void
  note: string | null
  /** Shows a line for a while. */
  say: (text: string) => void
}

/** What the stage shows beside the pictures: also in a recording, where nobody is there to do anything. */
interface OnStage {
  room: Pick<NonNullable<KnownCall['room']>, 'type'> | undefined
  call: Pick<NonNullable<KnownCall['call']>, 'spotlight'> | undefined
  callParticipants: ReadonlyMap<string, Pick<CallParticipant, 'name' | 'role' | 'handRaisedAt'>>
  look: Pick<Look, 'fit'>
  reactions: Pick<Reactions, 'shown'>
}

const StageContext = createContext<OnStage | null>(null)
export const OnStageProvider = StageContext.Provider

export const useOnStage = (): OnStage => {
  const stage = useContext(StageContext)
  if (!stage) throw new Error('used outside of a stage')
  return stage
}

const Context = createContext<LiveContext | null>(null)
export const LiveProvider = Context.Provider

export const useLive = (): LiveContext => {
  const live = useContext(Context)
  if (!live) throw new Error('used outside of the live room')
  return live
}
