import { Loader, Text } from '@mantine/core'
import { type Ref, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { HeadingContext, useHeading } from '../../ui/focus.ts'
import { SpaceLogo } from '../SpaceLogo.tsx'
import { Banners } from './Banners.tsx'
import { Chat } from './Chat.tsx'
import { Clock, StartContext } from './Clock.tsx'
import { Confirm } from './Confirm.tsx'
import { useLive } from './context.ts'
import { Controls } from './controls/Controls.tsx'
import { Devices } from './devices/Devices.tsx'
import { useHand } from './hand.ts'
import { HostPanel } from './host/HostPanel.tsx'
import { LinkGuests } from './host/LinkGuests.tsx'
import { Invite } from './Invite.tsx'
import classes from './live.module.css'
import { Panel } from './Panel.tsx'
import { People } from './People.tsx'
import { Presenting } from './Presenting.tsx'
import { Quality } from './Quality.tsx'
import { Recording } from './Recording.tsx'
import { Remove } from './Remove.tsx'
import { Rename } from './Rename.tsx'
import { Shortcuts } from './Shortcuts.tsx'
import { SpeakDialog } from './SpeakDialog.tsx'
import { Stage } from './Stage.tsx'
import { StreamDialog } from './StreamDialog.tsx'
import { Streaming } from './Streaming.tsx'
import { useShortcuts } from './shortcuts.ts'

/** All that is seen of the room: the stage, what is open beside and before it, and the bar. */
export const Surface = ({ startedAt }: { startedAt: number | null }) => {
  const { connection } = useLive()
  const { heading, focus } = useHeading()
  useEffect(focus, [focus])
  useLiveShortcuts()
  return (
    <StartContext value={startedAt}>
      <main className={classes.live} data-state={connection.state}>
        <HeadingContext value={focus}>
          <Header heading={heading} />
          <div className={classes.middle}>
            <div className={classes.stage}>
              {connection.round === 0 ? <Connecting /> : <Stage />}
              <Banners />
            </div>
            <OpenPanel />
          </div>
          <Controls />
          <OpenDialogs />
        </HeadingContext>
      </main>
    </StartContext>
  )
}

const Header = ({ heading }: { heading: Ref<HTMLHeadingElement> }) => {
  const { joinedCall, room, connection } = useLive()
  return (
    <header className={classes.top}>
      {joinedCall.access.logo && <SpaceLogo src={joinedCall.access.logo} size={24} />}
      <h1 className={classes.room} ref={heading} tabIndex={-1}>
        {room?.name ?? joinedCall.access.roomName}
      </h1>
      <Quality participant={connection.room.localParticipant} />
      <Presenting />
      <Recording />
      <Streaming />
      <Clock />
    </header>
  )
}

const Connecting = () => {
  const { t } = useTranslation()
  return (
    <div className={classes.connecting} role="status">
      <Loader color="white" />
      <Text>{t('live.connecting')}</Text>
    </div>
  )
}

const OpenPanel = () => {
  const { t } = useTranslation()
  const { panels, call } = useLive()
  if (panels.shown === 'chat')
    return (
      <Panel key="chat" title={t('chat.title')} onClose={panels.close}>
        <Chat />
      </Panel>
    )
  if (panels.shown === 'people')
    return (
      <Panel key="people" title={t('people.titleCount', { count: call?.participantCount ?? 1 })} onClose={panels.close}>
        <People />
      </Panel>
    )
  if (panels.shown === 'host')
    return (
      <Panel key="host" title={t('host.title')} onClose={panels.close}>
        <HostPanel />
      </Panel>
    )
  return null
}

const OpenDialogs = () => {
  const { shown, close, question, closeQuestion, removing, closeRemoving, usedLink, closeGuests } = useLive().dialogs
  return (
    <>
      <Devices isOpen={shown === 'devices'} onClose={close} />
      <Shortcuts isOpen={shown === 'shortcuts'} onClose={close} />
      <Invite isOpen={shown === 'invite'} onClose={close} />
      <Invite isToWatch isOpen={shown === 'inviteToWatch'} onClose={close} />
      <Remove person={removing} onClose={closeRemoving} />
      <LinkGuests link={usedLink} onClose={closeGuests} />
      <Rename isOpen={shown === 'rename'} onClose={close} />
      <StreamDialog isOpen={shown === 'stream'} onClose={close} />
      <SpeakDialog />
      <Confirm question={question} onClose={closeQuestion} />
    </>
  )
}

const useLiveShortcuts = () => {
  const { media, panels, dialogs, toggleView } = useLive()
  const hand = useHand()
  useShortcuts({
    m: () => media.toggle('microphone'),
    v: () => media.toggle('camera'),
    s: () => media.toggle('screen'),
    h: hand.toggle,
    c: () => panels.hasChat && panels.toggle('chat'),
    p: () => panels.toggle('people'),
    g: toggleView,
    '?': () => dialogs.show('shortcuts'),
  })
}
