import { Badge, Group } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { createContext, useContext } from 'react'
import { useTranslation } from 'react-i18next'
import { Outlet, useMatch, useParams } from 'react-router'
import { codeOf } from '../../ui/api.ts'
import { CopyId } from '../../ui/CopyId.tsx'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { useLiveCall } from '../data/calls.ts'
import { type Room, useRoom } from '../data/rooms.ts'
import { useMe } from '../data/session.ts'
import { mayChangeRoom, ownsSpace } from '../may.ts'
import { NotFoundPage } from '../shell/NotFoundPage.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Onboarding } from '../spaces/Onboarding.tsx'
import { LoadedPage } from '../ui/LoadedPage.tsx'
import { Page } from '../ui/Page.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { OpenRoomButton } from './OpenRoomButton.tsx'
import { RoomAudience } from './RoomAudience.tsx'

interface ThisRoom {
  room: Room
  /** The caller was removed from the room, and is refused all that concerns its calls and guests. */
  isRemoved: boolean
}

const RoomContext = createContext<ThisRoom | null>(null)

/** The room that the tab is about. */
export const useThisRoom = (): ThisRoom => {
  const room = useContext(RoomContext)
  if (!room) throw new Error('This tab belongs into the page of a room')
  return room
}

/** Around the tabs of a room. */
export const RoomPage = () => {
  const space = useThisSpace()
  const { roomId = '' } = useParams()
  const query = useRoom(space.id, roomId)
  return <LoadedPage query={query}>{room => <RoomFrame key={room.id} room={room} />}</LoadedPage>
}

const RoomFrame = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const me = useMe()
  const { roomId } = useParams()
  const base = `/spaces/${space.id}/rooms/${roomId}`
  const isOverview = useMatch(base) !== null
  const { error } = useLiveCall(room)
  // Of all that is refused to them then, the page says so once. The owner keeps what belongs to the space.
  const isRemoved = codeOf(error) === 'removed'
  const isKeptOut = isRemoved && !ownsSpace(space)
  const mayChange = mayChangeRoom(room, space, me) && !isKeptOut
  if (!mayChange && !isKeptOut && !isOverview) return <NotFoundPage />
  return (
    <Page
      title={room.name}
      place={base}
      description={
        <Group component="span" gap="xs">
          <span>{t(`rooms.type.${room.type}`)}</span>
          <CopyId value={`${location.origin}/room/${room.alias}`} />
          <RoomAudience room={room} />
          {room.isLocked && (
            <Badge
              component="span"
              variant="light"
              color="red"
              tt="none"
              leftSection={<IconLock size={12} aria-hidden />}
            >
              {t('room.locked')}
            </Badge>
          )}
        </Group>
      }
      actions={!isRemoved && <OpenRoomButton room={room} size="sm" variant="filled" />}
    >
      <Onboarding />
      {mayChange && (
        <Tabs
          label={room.name}
          tabs={[
            { to: base, label: t('room.tab.overview') },
            { to: `${base}/people`, label: t('room.tab.people') },
            { to: `${base}/permissions`, label: t('room.tab.permissions') },
            { to: `${base}/calls`, label: t('nav.calls') },
            { to: `${base}/recordings`, label: t('recordings.title') },
          ]}
        />
      )}
      {isRemoved && <ProblemNotice error={error} />}
      {!isKeptOut && (
        <RoomContext value={{ room, isRemoved }}>
          <Outlet />
        </RoomContext>
      )}
    </Page>
  )
}
