import { IconVideo } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../data/session.ts'
import { mayDeleteRoom } from '../may.ts'
import { RecordingList } from '../recordings/RecordingList.tsx'
import { RecordUsage } from '../recordings/RecordUsage.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Section } from '../ui/Page.tsx'
import { useThisRoom } from './RoomPage.tsx'

/** What was recorded in the room. */
export const RoomRecordings = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const me = useMe()
  const { room } = useThisRoom()
  return (
    <Section title={t('recordings.title')} description={t('recordings.text')}>
      <RecordUsage label={t('recordings.ofSpace')} />
      <RecordingList
        of={{ spaceId: space.id, roomId: room.id }}
        mayDelete={mayDeleteRoom(room, space, me)}
        empty={
          <Empty
            icon={IconVideo}
            title={t('recordings.empty.title')}
            text={t(room.isRecordAllowed ? 'recordings.empty.text' : 'recordings.empty.off')}
          />
        }
      />
    </Section>
  )
}
