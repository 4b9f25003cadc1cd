import { RoomAudioRenderer, RoomContext } from '@livekit/components-react'
import { Loader, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { Room } from 'livekit-client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useArrival } from '../arrival.ts'
import type { DeviceChoices } from '../devices.ts'
import { postToParent } from '../embed.ts'
import type { EndedCall, Ending } from '../ended/Ended.tsx'
import type { Session } from '../entry.ts'
import { useAnnouncements, useNote } from './announcements.ts'
import { Banners } from './Banners.tsx'
import { Chat } from './Chat.tsx'
import { Clock } from './Clock.tsx'
import { Confirm, type Question } from './Confirm.tsx'
import { Controls, type PanelName } from './Controls.tsx'
import { useCall } from './call.ts'
import { type ConnectionState, useConnection } from './connection.ts'
import { type LiveContext, LiveProvider, useLive } from './context.ts'
import { Devices } from './Devices.tsx'
import { Invite } from './Invite.tsx'
import classes from './live.module.css'
import { useMessages } from './messages.ts'
import { useModeration } from './moderation.ts'
import { useOwnMedia } from './ownMedia.ts'
import { Panel } from './Panel.tsx'
import { People } from './People.tsx'
import { Shortcuts } from './Shortcuts.tsx'
import { Stage, type View } from './Stage.tsx'
import { useShortcuts } from './shortcuts.ts'
import { useWakefulScreen } from './wake.ts'

interface LiveProps {
  session: Session
  choices: DeviceChoices
  onEnd: (call: EndedCall) => void
}

/** In the room. */
const Live = ({ session, choices, onEnd }: LiveProps) => {
  const { entry, joined } = session
  const enteredAt = useRef(Date.now())
  const startedAt = useRef<number | null>(null)

  const finish = useCallback(
    (ending: Ending) => {
      const since = (ending === 'ended' && startedAt.current) || enteredAt.current
      onEnd({ ending, roomName: entry.roomName, seconds: Math.max(0, (Date.now() - since) / 1000) })
    },
    [entry, onEnd],
  )
  const { room, state, round, retry, leave } = useConnection(session, choices, finish)
  const known = useCall(session, room, round)
  const { note, say } = useNote()
  const media = useOwnMedia(room, round, choices, say)
  useWakefulScreen()
  useAnnouncements(known.callParticipants, known.self, known.isModerator, say)

  // By the person's own clock, whatever it shows: it began as long before they entered as the service says.
  if (known.call && known.self)
    startedAt.current ??= enteredAt.current - (Date.parse(known.self.joinedAt) - Date.parse(known.call.startedAt))
  const isIn = round > 0
  useEffect(() => {
    if (isIn) postToParent({ type: 'lectern:joined', alias: entry.alias, participantId: joined.participantId })
  }, [isIn, entry, joined])

  const live: LiveContext = { session, media, say, ...known }
  return (
    <RoomContext.Provider value={room}>
      <LiveProvider value={live}>
        <RoomAudioRenderer />
        <Surface
          startedAt={startedAt.current}
          room={room}
          round={round}
          state={state}
          note={note}
          onRetry={retry}
          onLeave={leave}
        />
      </LiveProvider>
    </RoomContext.Provider>
  )
}

interface SurfaceProps {
  startedAt: number | null
  room: Room
  round: number
  state: ConnectionState
  note: string | null
  onRetry: () => void
  onLeave: () => void
}

const Surface = ({ startedAt, room, round, state, note, onRetry, onLeave }: SurfaceProps) => {
  const { t } = useTranslation()
  const live = useLive()
  const { session, media, self, call, isModerator } = live
  const { raiseHand, endForAll } = useModeration()
  const heading = useArrival()
  const isNarrow = useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false })
  const [view, setView] = useState<View>('grid')
  const [panel, setPanel] = useState<PanelName | null>(null)
  const [dialog, setDialog] = useState<'devices' | 'shortcuts' | 'invite' | null>(null)
  const [question, setQuestion] = useState<Question | null>(null)
  const hasChat = live.room?.isChatAllowed ?? false
  const shownPanel = panel === 'chat' && !hasChat ? null : panel
  const chat = useMessages(session, room, round, hasChat, shownPanel === 'chat')

  const togglePanel = (name: PanelName) => setPanel(shownPanel === name ? null : name)
  const toggleView = () => setView(view === 'grid' ? 'speaker' : 'grid')
  const mayInvite = isModerator && session.entry.access.by === 'user'
  const onInvite = mayInvite ? () => setDialog('invite') : null
  const askToEnd = () =>
    setQuestion({
      title: t('live.end.title'),
      text: t('live.end.text'),
      action: t('live.endForAll'),
      onYes: () => void endForAll(),
    })

  useShortcuts({
    m: () => media.toggle('microphone'),
    v: () => media.toggle('camera'),
    s: () => media.toggle('screen'),
    h: () => void raiseHand(self?.handRaisedAt == null),
    c: () => hasChat && togglePanel('chat'),
    p: () => togglePanel('people'),
    g: toggleView,
    '?': () => setDialog('shortcuts'),
  })

  return (
    <main className={classes.live} data-state={state}>
      <header className={classes.top}>
        <h1 className={classes.room} ref={heading} tabIndex={-1}>
          {live.room?.name ?? session.entry.roomName}
        </h1>
        <Clock since={startedAt} />
      </header>
      <div className={classes.middle}>
        <div className={classes.stage}>
          {round === 0 ? (
            <div className={classes.connecting} role="status">
              <Loader color="white" />
              <Text>{t('live.connecting')}</Text>
            </div>
          ) : (
            <Stage view={view} onInvite={onInvite} />
          )}
          <Banners state={state} onRetry={onRetry} note={note} />
        </div>
        {shownPanel === 'chat' && (
          <Panel title={t('chat.title')} onClose={() => setPanel(null)}>
            <Chat chat={chat} />
          </Panel>
        )}
        {shownPanel === 'people' && (
          <Panel
            title={t('people.titleCount', { count: call?.participants.length ?? 1 })}
            onClose={() => setPanel(null)}
          >
            <People onAsk={setQuestion} />
          </Panel>
        )}
      </div>
      <Controls
        isNarrow={isNarrow}
        panel={shownPanel}
        onPanel={togglePanel}
        view={view}
        onView={toggleView}
        hasChat={hasChat}
        unread={chat.unread}
        onDevices={() => setDialog('devices')}
        onShortcuts={() => setDialog('shortcuts')}
        onInvite={onInvite}
        onLeave={onLeave}
        onEnd={askToEnd}
      />
      <Devices isOpen={dialog === 'devices'} onClose={() => setDialog(null)} />
      <Shortcuts isOpen={dialog === 'shortcuts'} onClose={() => setDialog(null)} />
      <Invite isOpen={dialog === 'invite'} onClose={() => setDialog(null)} />
      <Confirm question={question} onClose={() => setQuestion(null)} />
    </main>
  )
}

export default Live
