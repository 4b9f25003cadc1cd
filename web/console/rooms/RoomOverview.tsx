import { Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { CopyField } from '../../ui/CopyField.tsx'
import { LiveCall } from '../calls/LiveCall.tsx'
import { deleteRoom, type Room, updateRoom } from '../data/rooms.ts'
import { useMe } from '../data/session.ts'
import { managesRoom, mayChangeRoom, mayDeleteRoom } from '../may.ts'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { ConfirmSection } from '../ui/ConfirmSection.tsx'
import { Form, requiredText } from '../ui/Form.tsx'
import { tell } from '../ui/notify.ts'
import { Section } from '../ui/Page.tsx'
import { RoomBans } from './RoomBans.tsx'
import { useThisRoom } from './RoomPage.tsx'

/** The call, the name, and the end of the room. */
export const RoomOverview = () => {
  const space = useThisSpace()
  const me = useMe()
  const { room, isRemoved } = useThisRoom()
  return (
    <>
      {!isRemoved && <LiveCall room={room} />}
      {managesRoom(room, me) && !isRemoved && <RoomBans room={room} />}
      {mayChangeRoom(room, space, me) && <RoomName room={room} />}
      {mayDeleteRoom(room, space, me) && <Deletion room={room} />}
    </>
  )
}

const RoomName = ({ room }: { room: Room }) => {
  const { t } = useTranslation()
  const rename = async (fields: FormData) => {
    await updateRoom(room, { name: requiredText(fields, 'name') })
    tell(t('saved'))
  }
  return (
    <Section title={t('room.details')}>
      <Form key={room.name} submitLabel={t('room.rename')} send={rename} isAside>
        {errorAt => (
          <TextInput
            name="name"
            label={t('name')}
            defaultValue={room.name}
            required
            withAsterisk={false}
            maxLength={200}
            error={errorAt('name')}
          />
        )}
      </Form>
      <CopyField
        label={t('room.livePage')}
        description={t('room.livePage.text')}
        value={`${location.origin}/room/${room.alias}/live`}
      />
      {room.externalId && (
        <Text size="sm" c="dimmed" mt="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('room.externalId', { id: room.externalId })}
        </Text>
      )}
    </Section>
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
