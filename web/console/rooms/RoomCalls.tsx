import { useTranslation } from 'react-i18next'
import { CallList } from '../calls/CallList.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Section } from '../ui/Page.tsx'
import { useThisRoom } from './RoomPage.tsx'

/** When the room was used, and who attended. */
export const RoomCalls = () => {
  const { t } = useTranslation()
  const { id: spaceId } = useThisSpace()
  const { room } = useThisRoom()
  return (
    <Section title={t('calls.title')} description={t('calls.text.room')}>
      <CallList spaceId={spaceId} roomId={room.id} />
    </Section>
  )
}
