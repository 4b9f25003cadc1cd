import { MantineProvider } from '@mantine/core'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { theme } from '../ui/theme.ts'
import type { RoomAccess } from './access.ts'
import { Closed } from './closed/Closed.tsx'
import type { Refusal } from './closed/reasons.ts'
import type { DeviceChoices } from './devices.ts'
import { postToParent } from './embed.ts'
import { Ended, type EndedCall, type Ending } from './ended/Ended.tsx'
import { type AskedToJoin, type JoinedCall, open } from './entry.ts'
import type { Address } from './link.ts'
import { Lobby } from './lobby/Lobby.tsx'
import { LobbySkeleton } from './lobby/LobbySkeleton.tsx'
import { roomVariables } from './theme.ts'
import { forgetAsked } from './waiting/asked.ts'
import { Waiting } from './waiting/Waiting.tsx'

/** `after`: how the call ended that the person comes from. */
type Phase =
  | { name: 'opening' }
  | { name: 'closed'; refusal: Refusal }
  | { name: 'lobby'; access: RoomAccess; after: Ending | null }
  | { name: 'waiting'; asked: AskedToJoin; choices: DeviceChoices }
  | { name: 'live'; joinedCall: JoinedCall; choices: DeviceChoices }
  | { name: 'ended'; call: EndedCall }

const accessIn = (phase: Phase): RoomAccess | null => {
  if (phase.name === 'lobby') return phase.access
  if (phase.name === 'waiting') return phase.asked.access
  return phase.name === 'live' ? phase.joinedCall.access : null
}

// The media library is fetched while the person looks at the lobby.
const loadLive = () => import('./live/Live.tsx')
const Live = lazy(() => loadLive().catch(() => ({ default: Outdated })))

/** Parts of a build that was replaced long ago are gone. */
const Outdated = () => <Closed reason="outdated" alias="" onRetry={() => location.reload()} />

/** For a page that has nothing around it yet. */
export const OutdatedPage = () => (
  <MantineProvider theme={theme} cssVariablesResolver={roomVariables} defaultColorScheme="auto">
    <Outdated />
  </MantineProvider>
)

const isSupported = () => typeof RTCPeerConnection === 'function' && typeof WebSocket === 'function'

interface AppProps {
  address: Address
}

/** The room page: one phase at a time. */
export const App = ({ address }: AppProps) => {
  const { t } = useTranslation()
  const { alias } = address
  const [phase, setPhase] = useState<Phase>({ name: 'opening' })

  const look = useCallback(
    async (after: Ending | null = null) => {
      if (!isSupported()) return setPhase({ name: 'closed', refusal: { reason: 'unsupported' } })
      const opened = await open(address)
      setPhase(
        'access' in opened ? { name: 'lobby', access: opened.access, after } : { name: 'closed', refusal: opened },
      )
    },
    [address],
  )

  useEffect(() => {
    void look()
  }, [look])

  const roomName = accessIn(phase)?.roomName
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

  const refuse = useCallback((refusal: Refusal) => setPhase({ name: 'closed', refusal }), [])
  const go = useCallback(
    (joinedCall: JoinedCall, choices: DeviceChoices) => setPhase({ name: 'live', joinedCall, choices }),
    [],
  )
  const wait = useCallback(
    (asked: AskedToJoin, choices: DeviceChoices) => setPhase({ name: 'waiting', asked, choices }),
    [],
  )
  const waitingChoices = phase.name === 'waiting' ? phase.choices : null
  const goOn = useCallback(
    (joinedCall: JoinedCall) => waitingChoices && go(joinedCall, waitingChoices),
    [go, waitingChoices],
  )
  const finish = useCallback(
    (call: EndedCall) => {
      postToParent({ type: 'lectern:left', alias })
      if (call.ending === 'ended' || call.ending === 'room_gone') postToParent({ type: 'lectern:call_finished', alias })
      setPhase({ name: 'ended', call })
    },
    [alias],
  )
  const reopen = useCallback(
    (after: Ending | null) => {
      setPhase({ name: 'opening' })
      void look(after)
    },
    [look],
  )
  const stopAsking = useCallback(() => {
    forgetAsked(alias)
    reopen(null)
  }, [alias, reopen])
  const lookAgain = useCallback(() => void look(), [look])

  const view = () => {
    switch (phase.name) {
      case 'opening':
        return <LobbySkeleton label={t('lobby.opening')} />
      case 'closed':
        return <Closed {...phase.refusal} alias={alias} onRetry={lookAgain} />
      case 'lobby':
        return (
          <Lobby
            access={phase.access}
            wasEnded={phase.after === 'ended'}
            wanted={phase.after === 'other_tab' ? 'switch' : null}
            onJoined={go}
            onAsked={wait}
            onRefused={refuse}
          />
        )
      case 'waiting':
        return <Waiting asked={phase.asked} onJoined={goOn} onRefused={refuse} onLeave={stopAsking} />
      case 'live':
        return (
          <Suspense fallback={<LobbySkeleton label={t('live.connecting')} />}>
            <Live joinedCall={phase.joinedCall} choices={phase.choices} onEnd={finish} />
          </Suspense>
        )
      case 'ended':
        return <Ended {...phase.call} onRejoin={() => reopen(phase.call.ending)} />
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
