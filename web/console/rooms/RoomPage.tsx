import { Anchor, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useParams } from 'react-router'
import { codeOf } from '../../ui/api.ts'
import { CopyId } from '../../ui/CopyId.tsx'
import { ProblemNotice } from '../../ui/ProblemNotice.tsx'
import { LiveCall } from '../calls/LiveCall.tsx'
import { useLiveCall } from '../data/calls.ts'
import { deleteRoom, type Room, useRoom } from '../data/rooms.ts'
import { useMe } from '../data/session.ts'
import { managesRoom, mayChangeRoom, mayDeleteRoom, ownsSpace } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { ConfirmSection } from '../ui/ConfirmSection.tsx'
import { LoadedPage } from '../ui/LoadedPage.tsx'
import { Page, Section } from '../ui/Page.tsx'
import { OpenRoomButton } from './OpenRoomButton.tsx'
import { RoomBans } from './RoomBans.tsx'
import { RoomLinks } from './RoomLinks.tsx'
import { RoomRoles } from './RoomRoles.tsx'
import { RoomSettings } from './RoomSettings.tsx'

export const RoomPage = () => {
  const space = useThisSpace()
  const { roomId = '' } = useParams()
  const query = useRoom(space.id, roomId)
  return <LoadedPage query={query}>{room => <RoomContent room={room} />}</LoadedPage>
}

const RoomContent = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const me = useMe()
  const { error } = useLiveCall(room)
  // Of all that is refused to them then, the page says so once. The owner keeps what belongs to the space.
  const isRemoved = codeOf(error) === 'removed'
  const isKeptOut = isRemoved && !ownsSpace(space)
  const mayChange = mayChangeRoom(room, space, me) && !isKeptOut
  return (
    <Page
      title={room.name}
      description={
        <Group component="span" gap="xs">
          <span>{t(`rooms.type.${room.type}`)}</span>
          <CopyId value={`${location.origin}/room/${room.alias}`} />
        </Group>
      }
      actions={!isRemoved && <OpenRoomButton room={room} size="sm" variant="filled" />}
    >
      {isRemoved ? <ProblemNotice error={error} /> : <LiveCall room={room} />}
      {mayChange && (
        <>
          {!isRemoved && <RoomLinks room={room} />}
          <RoomSettings room={room} />
          <RoomRoles room={room} />
          {managesRoom(room, me) && !isRemoved && <RoomBans room={room} />}
          <Section title={t('nav.calls')} description={t('room.calls.text')}>
            <Anchor component={Link} to={`/spaces/${space.id}/rooms/${room.alias}/calls`} size="sm">
              {t('room.calls.link')}
            </Anchor>
          </Section>
        </>
      )}
      {mayDeleteRoom(room, space, me) && !isKeptOut && <Deletion room={room} />}
    </Page>
  )
}

const Deletion = ({ room }: { room: Room }) => {
  const navigate = useNavigate()
  return (
    <ConfirmSection
      texts="room.delete"
      name={room.name}
      onConfirm={async () => {
        await deleteRoom(room.spaceId, room.id)
        await navigate(`/spaces/${room.spaceId}`)
      }}
    />
  )
}
