import { MantineProvider } from '@mantine/core'
import { useCallback, useEffect, useState } from 'react'
import { theme } from '../../ui/theme.ts'
import type { RoomAccess } from '../access.ts'
import { Closed } from '../closed/Closed.tsx'
import type { Refusal } from '../closed/reasons.ts'
import { open } from '../entry.ts'
import type { Address } from '../link.ts'
import { roomVariables } from '../theme.ts'
import { Audience } from './Audience.tsx'
import { Door } from './Door.tsx'
import { WatchSkeleton } from './WatchSkeleton.tsx'

type Phase =
  | { name: 'opening' }
  | { name: 'closed'; refusal: Refusal }
  | { name: 'door' | 'watching'; access: RoomAccess }

/** The page of those who watch a call without joining it. */
const Watch = ({ address }: { address: Address }) => {
  const { alias } = address
  const [phase, setPhase] = useState<Phase>({ name: 'opening' })
  const look = useCallback(async () => {
    const opened = await open(address)
    if (!('access' in opened)) return setPhase({ name: 'closed', refusal: opened })
    const { access } = opened
    // A link is used only when somebody asks for it.
    setPhase({ name: access.credentials.by === 'link' ? 'door' : 'watching', access })
  }, [address])
  useEffect(() => void look(), [look])
  const refuse = useCallback((refusal: Refusal) => setPhase({ name: 'closed', refusal }), [])
  const watch = useCallback((access: RoomAccess) => setPhase({ name: 'watching', access }), [])
  const lookAgain = useCallback(() => void look(), [look])

  const roomName = 'access' in phase ? phase.access.roomName : ''
  useEffect(() => {
    if (roomName) document.title = `${roomName} · Lectern`
  }, [roomName])

  const view = () => {
    switch (phase.name) {
      case 'opening':
        return <WatchSkeleton />
      case 'closed':
        return <Closed {...phase.refusal} alias={alias} onRetry={lookAgain} />
      case 'door':
        return <Door access={phase.access} onWatch={watch} onRefused={refuse} />
      case 'watching':
        return <Audience access={phase.access} onRefused={refuse} />
    }
  }
  return (
    <MantineProvider theme={theme} cssVariablesResolver={roomVariables} defaultColorScheme="auto">
      {view()}
    </MantineProvider>
  )
}

export default Watch
