import { MantineProvider } from '@mantine/core'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { theme } from '../ui/theme.ts'
import type { Entry } from './access.ts'
import { Closed } from './closed/Closed.tsx'
import type { Reason } from './closed/reasons.ts'
import type { DeviceChoices } from './devices.ts'
import { postToParent } from './embed.ts'
import { Ended, type EndedCall } from './ended/Ended.tsx'
import { open, type Session } from './entry.ts'
import type { Address } from './link.ts'
import { Lobby } from './lobby/Lobby.tsx'
import { LobbyShape } from './lobby/LobbyShape.tsx'
import { roomVariables } from './theme.ts'

type Phase =
  | { name: 'opening' }
  | { name: 'closed'; reason: Reason }
  | { name: 'lobby'; entry: Entry }
  | { name: 'live'; session: Session; choices: DeviceChoices }
  | { name: 'ended'; call: EndedCall }

// The media library is fetched while the person looks at the lobby.
const loadLive = () => import('./live/Live.tsx')
const Live = lazy(() => loadLive().catch(() => ({ default: Outdated })))

/** Parts of a build that was replaced long ago are gone. */
const Outdated = () => <Closed reason="outdated" alias="" onRetry={() => location.reload()} />

const isSupported = () => typeof RTCPeerConnection === 'function' && typeof WebSocket === 'function'

interface AppProps {
  address: Address
}

/** At the door, in the room, or out again: one at a time. */
export const App = ({ address }: AppProps) => {
  const { t } = useTranslation()
  const { alias } = address
  const [phase, setPhase] = useState<Phase>({ name: 'opening' })

  const look = useCallback(async () => {
    if (!isSupported()) return setPhase({ name: 'closed', reason: 'unsupported' })
    const opened = await open(address)
    setPhase('entry' in opened ? { name: 'lobby', entry: opened.entry } : { name: 'closed', reason: opened.reason })
  }, [address])

  useEffect(() => {
    void look()
  }, [look])

  const roomName =
    phase.name === 'lobby' ? phase.entry.roomName : phase.name === 'live' ? phase.session.entry.roomName : null
  useEffect(() => {
    if (roomName) document.title = `${roomName} · Lectern`
  }, [roomName])

  const isInLobby = phase.name === 'lobby'
  useEffect(() => {
    if (!isInLobby) return
    // After the lobby is drawn, which needs none of it.
    const timer = setTimeout(() => loadLive().catch(() => {}))
    return () => clearTimeout(timer)
  }, [isInLobby])

  const refuse = useCallback((reason: Reason) => setPhase({ name: 'closed', reason }), [])
  const go = useCallback((session: Session, choices: DeviceChoices) => setPhase({ name: 'live', session, choices }), [])
  const finish = useCallback(
    (call: EndedCall) => {
      postToParent({ type: 'lectern:left', alias })
      if (call.ending === 'ended' || call.ending === 'room_gone') postToParent({ type: 'lectern:call_finished', alias })
      setPhase({ name: 'ended', call })
    },
    [alias],
  )
  const reopen = useCallback(() => {
    setPhase({ name: 'opening' })
    void look()
  }, [look])

  const view = () => {
    switch (phase.name) {
      case 'opening':
        return <LobbyShape label={t('lobby.opening')} />
      case 'closed':
        return <Closed reason={phase.reason} alias={alias} onRetry={look} />
      case 'lobby':
        return <Lobby entry={phase.entry} onJoined={go} onRefused={refuse} />
      case 'live':
        return (
          <Suspense fallback={<LobbyShape label={t('live.connecting')} />}>
            <Live session={phase.session} choices={phase.choices} onEnd={finish} />
          </Suspense>
        )
      case 'ended':
        return <Ended {...phase.call} onRejoin={reopen} />
    }
  }

  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={roomVariables}
      defaultColorScheme="auto"
      // The stage is dark whatever the person prefers elsewhere.
      {...(phase.name === 'live' && { forceColorScheme: 'dark' })}
    >
      {view()}
    </MantineProvider>
  )
}
