import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { codeOf } from '../../ui/api.ts'
import { CopyId } from '../../ui/CopyId.tsx'
import { LiveCall } from '../calls/LiveCall.tsx'
import { useRoom } from '../data/rooms.ts'
import { NotFoundPage } from '../shell/NotFoundPage.tsx'
import { useThisSpace } from '../shell/SpaceLayout.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { Page } from '../ui/Page.tsx'
import { PageSkeleton } from '../ui/PageSkeleton.tsx'
import { OpenRoomButton } from './OpenRoomButton.tsx'

export const RoomPage = () => {
  const { t } = useTranslation()
  const space = useThisSpace()
  const { roomId = '' } = useParams()
  const query = useRoom(space.id, roomId)
  if (codeOf(query.error) === 'not_found') return <NotFoundPage />
  return (
    <Loaded query={query} skeleton={<PageSkeleton />}>
      {room => (
        <Page
          title={room.name}
          description={
            <>
              {t(`rooms.type.${room.type}`)} · <CopyId value={room.alias} />
            </>
          }
          actions={<OpenRoomButton room={room} size="sm" variant="filled" />}
        >
          <LiveCall room={room} />
        </Page>
      )}
    </Loaded>
  )
}
