import { RoomAudioRenderer, RoomContext } from '@livekit/components-react'
import { type RefObject, useCallback, useEffect, useRef } from 'react'
import type { DeviceChoices } from '../devices.ts'
import { postToParent } from '../embed.ts'
import type { EndedCall, Ending, Host } from '../ended/Ended.tsx'
import type { JoinedCall } from '../entry.ts'
import { keepQuiet } from '../quiet.ts'
import { useAnnouncements, useNote } from './announcements.ts'
import { type KnownCall, useCall } from './call.ts'
import { useComings } from './comings.ts'
import { type Connection, useConnection } from './connection.ts'
import { LiveProvider, OnStageProvider } from './context.ts'
import { useDialogs } from './dialogs.ts'
import { useWaiting } from './host/waiting.ts'
import { useLook } from './look.ts'
import { useMessages } from './messages.ts'
import { useOwnMedia } from './ownMedia.ts'
import { usePanels } from './panels.ts'
import { useReactions } from './reactions.ts'
import { Surface } from './Surface.tsx'
import { type Sound, useSound } from './sound.ts'
import { type Times, useTimes } from './times.ts'
import { useView } from './view.ts'
import { useWakefulScreen } from './wake.ts'

interface LiveProps {
  joinedCall: JoinedCall
  choices: DeviceChoices
  onEnd: (call: EndedCall) => void
}

/** In the room, until the call is over for this person. */
const Live = ({ joinedCall, choices, onEnd }: LiveProps) => {
  const times = useTimes()
  const { roomId, roomName } = joinedCall.access
  const hasEndedCall = useRef(false)
  const host = useRef<Host>(null)
  const finish = useCallback(
    (ending: Ending) => {
      // Whoever has left may come back beside the other; so does a page that is reloaded, which leaves first.
      if (ending !== 'left') keepQuiet(roomId, false)
      onEnd({
        ending,
        roomName,
        seconds: times.secondsUntil(ending),
        isOwn: hasEndedCall.current,
        host: host.current,
      })
    },
    [roomId, roomName, times, onEnd],
  )
  const connection = useConnection(joinedCall, choices, finish)
  const sound = useSound(joinedCall)
  useJoinedNotice(joinedCall, connection)
  useWakefulScreen()
  return (
    <RoomContext.Provider value={connection.room}>
      {/* The engine stops sending a moment after it is asked to. */}
      <RoomAudioRenderer muted={sound.isOff} volume={sound.isOff ? 0 : 1} />
      <InCall {...{ joinedCall, choices, connection, sound, times, hasEndedCall, host }} />
    </RoomContext.Provider>
  )
}

/** Tells the page that embeds this one. */
const useJoinedNotice = ({ access, joined }: JoinedCall, { round }: Connection) => {
  const isIn = round > 0
  useEffect(() => {
    if (isIn) postToParent({ type: 'lectern:joined', alias: access.alias, participantId: joined.participantId })
  }, [isIn, access, joined])
}

interface InCallProps {
  joinedCall: JoinedCall
  choices: DeviceChoices
  connection: Connection
  sound: Sound
  times: Times
  hasEndedCall: RefObject<boolean>
  host: RefObject<Host | null>
}

/** Known until the call is over, and needed then. */
const useHost = ({ access }: JoinedCall, { call, isModerator }: KnownCall, host: RefObject<Host | null>) => {
  const { spaceId, alias, credentials } = access
  const callId = call?.id
  const recordedCall = useRef<string>(undefined)
  if (call?.record) recordedCall.current = call.id
  const wasRecorded = callId !== undefined && recordedCall.current === callId
  const seesPastCalls = isModerator && credentials.by === 'user'
  useEffect(() => {
    host.current = seesPastCalls && callId ? { spaceId, alias, callId, wasRecorded } : null
  }, [spaceId, alias, callId, wasRecorded, seesPastCalls, host])
}

/** Brings together what the room is made of, subject by subject. */
const InCall = ({ joinedCall, choices, connection, sound, times, hasEndedCall, host }: InCallProps) => {
  const { round } = connection
  const known = useCall(joinedCall, round)
  const { note, say, mention } = useNote()
  const media = useOwnMedia(round, choices, say)
  const panels = usePanels(known.room?.isChatAllowed ?? false, known.isModerator)
  const chat = useMessages(joinedCall, round, {
    isAllowed: panels.hasChat,
    isOpen: panels.shown === 'chat',
    isHost: known.isModerator && known.self !== undefined,
  })
  const waiting = useWaiting(joinedCall, known.isModerator && round > 0, say)
  const reactions = useReactions(joinedCall, say)
  const comings = useComings(known, round, mention)
  const dialogs = useDialogs()
  const look = useLook()
  const [view, toggleView] = useView()
  useAnnouncements(known, say)
  useHost(joinedCall, known, host)
  const live = {
    ...known,
    joinedCall,
    connection,
    sound,
    hasEndedCall,
    media,
    chat,
    panels,
    waiting,
    reactions,
    comings,
    dialogs,
    look,
    view,
    toggleView: () => toggleView(),
    note,
    say,
  }
  return (
    <OnStageProvider value={live}>
      <LiveProvider value={live}>
        <Surface startedAt={times.startOf(known.call, known.self)} />
      </LiveProvider>
    </OnStageProvider>
  )
}

export default Live
